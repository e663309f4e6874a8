"""The only code that talks to the world. It knows ports, text and the run, and no stage."""
