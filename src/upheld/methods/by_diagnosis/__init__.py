"""Our own method `upheld`: diagnose, then the cheapest repair. Its parts, and no other method's."""
