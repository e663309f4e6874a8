"""`upheld admin tenant delete`: a tenant, and everything that it has."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.text import Text

from upheld.cli import options, show


def delete_tenant(
    name: Annotated[str, typer.Argument(metavar="TENANT", help="The tenant's name.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: options.Json = False,
) -> None:
    """Delete a tenant: its keys at once, then documents, answers, jobs, log and storage.

    The storage is that of the settings (UPHELD_KB), which must be the service's. If it is stopped,
    run it again: it goes on where it was.

    Examples:

        upheld admin tenant delete museum

        UPHELD_KB=s3://bucket/kb upheld admin tenant delete museum --yes
    """
    options.need_service()
    import asyncio

    from upheld.service.db.connect import address
    from upheld.service.tenants.deletion import end_tenant
    from upheld.settings import load_settings

    settings = load_settings()
    address(settings.database_url)  # what is wrong with it is said before anything is asked
    if not yes:
        told = f"Delete {name} and all that it has, in the database and in {settings.kb}?"
        typer.confirm(told, abort=True, err=True)
    ended = asyncio.run(end_tenant(settings, name))
    if as_json:
        show.print_json(ended)
        return
    show.out.print(
        Text(f"Tenant {name} is deleted; {ended.objects} objects were in {settings.kb}.")
    )
    if not ended.objects:
        told = "Nothing was stored there. Is it the storage of the service (UPHELD_KB)?"
        show.err.print(Text(told, style="yellow"))
