"""Language models: what they are trained on, the training itself, and what comes out of it."""
