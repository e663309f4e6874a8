"""One file a step, applied in order. There are no steps back: restore a backup instead."""
