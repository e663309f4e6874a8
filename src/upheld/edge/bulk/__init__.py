"""Adapters of the `Bulk` port: processes of this machine, and Ray. No stage of any work."""
