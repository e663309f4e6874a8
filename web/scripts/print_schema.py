"""Prints the OpenAPI document of the service, from which `npm run types` makes the page's types."""

from __future__ import annotations

import json

from upheld.settings import load_settings
from upheld_service.app import create_app

if __name__ == "__main__":
    # The address is never opened: a schema needs no database.
    settings = load_settings(database_url="postgresql://schema@localhost/schema")
    print(json.dumps(create_app(settings).openapi(), indent=1, sort_keys=True))
