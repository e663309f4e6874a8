"""Background work: uploads, tasks, the worker, retention. No routes."""
