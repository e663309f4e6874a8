"""The parts of `LanceIndex`: tables, snapshots, searching, writing, upkeep."""
