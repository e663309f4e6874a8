"""How the numbers of our own stages were chosen, on dev questions; what users run is `bench`."""
