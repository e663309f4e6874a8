"""What the verify stage is made of: claims, quotes, premises, the guard, and the verdict."""
