"""`upheld bench service`: what the service costs over the library, and what it does under load."""
