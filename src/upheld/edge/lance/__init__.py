"""The parts of `LanceIndex`: tables, snapshots, search, writes, maintenance."""
