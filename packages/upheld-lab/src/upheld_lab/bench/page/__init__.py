"""Pages: a run as tables, intervals, plots and a browser of its answers."""
