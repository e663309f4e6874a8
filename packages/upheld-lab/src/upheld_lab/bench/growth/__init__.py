"""How a collection behaves as it grows: time, bytes, memory and recall at each size."""
