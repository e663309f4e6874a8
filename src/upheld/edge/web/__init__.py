"""The web: search by SearXNG, pages fetched from public addresses only. No stage here."""
