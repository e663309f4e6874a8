"""What answers cost: calls, time over the path that must be waited for, cached prefixes."""
