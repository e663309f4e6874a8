"""`upheld admin`: the service's database, its tenants and their keys.

`upheld admin tenant delete`: a tenant, and everything that it has.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer
from rich.table import Table
from rich.text import Text

from upheld.cli import options, show

if TYPE_CHECKING:
    from pydantic import SecretStr

    from upheld_service.db.database import AdminSession
    from upheld_service.db.keys import Key, KeyScope


def delete_tenant(
    name: Annotated[str, typer.Argument(metavar="TENANT", help="The tenant's name.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
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

    from upheld.settings import load_settings
    from upheld_service.db.connect import address
    from upheld_service.tenants.deletion import end_tenant

    settings = load_settings()
    address(settings.database_url)  # what is wrong with it is said before anything is asked
    if not yes:
        told = f"Delete {name} and all of its data, in the database and in {settings.kb}?"
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


T = TypeVar("T")
app = typer.Typer(no_args_is_help=True)
tenant = typer.Typer(no_args_is_help=True, help="Tenants: each sees only its own documents.")
key = typer.Typer(no_args_is_help=True, help="API keys of a tenant.")
app.add_typer(tenant, name="tenant")
app.add_typer(key, name="key")

tenant.command("delete")(delete_tenant)

Name = Annotated[str, typer.Argument(metavar="TENANT", help="The tenant's name.")]


@app.callback()
def admin() -> None:
    """Manage the service's database, keys and tenants; UPHELD_DATABASE_URL names the database.

    Example: UPHELD_DATABASE_URL=postgresql://owner@db/upheld upheld admin migrate
    """


@app.command()
def migrate(as_json: options.Json = False) -> None:
    """Migrate the database to the schema of this version; run it before each new version.

    It needs the login that owns the database and may create roles. The service should have another
    one, which may only use the roles of the service:

        CREATE ROLE web LOGIN NOINHERIT PASSWORD '…'; GRANT upheld_app, upheld_worker TO web;

    Examples:

        UPHELD_DATABASE_URL=postgresql://owner@db/upheld upheld admin migrate
    """
    url = _database_url()
    from upheld_service.db.migrate import migrate

    revision = migrate(url)
    if as_json:
        show.print_json({"revision": revision})
    else:
        show.out.print(f"The database is at revision {revision}.")


@tenant.command("add")
def add_tenant(name: Name, as_json: options.Json = False) -> None:
    """Add a tenant.

    Examples:

        upheld admin tenant add museum
    """
    url = _database_url()
    from upheld_service.db import tenants

    added = _in_session(url, lambda admin: tenants.add(admin, name))
    if as_json:
        show.print_json(added)
    else:
        show.out.print(Text(f"Tenant {added.name} is {added.id}."))
        show.err.print(Text(f"Give it a key: upheld admin key add {added.name}", style="dim"))


@tenant.command("list")
def list_tenants(as_json: options.Json = False) -> None:
    """List all tenants.

    Examples:

        upheld admin tenant list --json
    """
    url = _database_url()
    from upheld_service.db import tenants

    found = _in_session(url, tenants.listed)
    if as_json:
        show.print_json({"tenants": found})
        return
    table = Table("tenant", "id", "since", box=None, pad_edge=False)
    for each in found:
        table.add_row(Text(each.name, style="bold"), str(each.id), _day(each.created_at))
    show.out.print(table)


@key.command("add")
def add_key(
    name: Name,
    scope: Annotated[
        list[str], typer.Option(help="Scope of the key: ask, verify, read or write; repeatable.")
    ] = ["ask", "verify", "read"],  # noqa: B006 — typer copies it
    label: Annotated[
        list[str] | None,
        typer.Option(
            help="It may see documents with this label, and those without labels; repeatable."
        ),
    ] = None,
    unlabelled: Annotated[
        bool, typer.Option("--unlabelled", help="It may see only documents without labels.")
    ] = False,
    days: Annotated[int | None, typer.Option(min=1, help="Days until it expires.")] = None,
    as_json: options.Json = False,
) -> None:
    """Make a key; its secret is shown only once and stored nowhere.

    Examples:

        upheld admin key add museum

        upheld admin key add museum --scope ask --label staff --days 90

        upheld admin key add museum --scope write --json
    """
    url = _database_url()
    from upheld_service.db import keys, tenants

    scopes = [_scope(each) for each in scope]
    seen = label or ([] if unlabelled else None)
    expires_at = None if days is None else datetime.now(UTC) + timedelta(days=days)

    async def add(admin: AdminSession) -> tuple[Key, SecretStr]:
        of = await tenants.named(admin, name)
        return await keys.add(admin, of, scopes=scopes, labels=seen, expires_at=expires_at)

    made, secret = _in_session(url, add)
    if as_json:
        show.print_json({"key": made, "secret": secret.get_secret_value()})
    else:
        show.out.print(Text(secret.get_secret_value(), style="bold green"), soft_wrap=True)
        show.err.print(Text("Save it now: it cannot be shown again.", style="yellow"))
        show.out.print(_table([made]))


@key.command("list")
def list_keys(name: Name, as_json: options.Json = False) -> None:
    """List a tenant's keys, also revoked ones; secrets are not stored.

    Examples:

        upheld admin key list museum
    """
    url = _database_url()
    from upheld_service.db import keys, tenants

    async def found(admin: AdminSession) -> list[Key]:
        return await keys.listed(admin, await tenants.named(admin, name))

    listed = _in_session(url, found)
    if as_json:
        show.print_json({"keys": listed})
    else:
        show.out.print(_table(listed))


@key.command("revoke")
def revoke_key(
    prefix: Annotated[str, typer.Argument(help="The key's prefix: uph_PREFIX_…")],
    as_json: options.Json = False,
) -> None:
    """Revoke a key: it is refused from now on.

    Examples:

        upheld admin key revoke 0f3c2a9b1d4e5f60
    """
    url = _database_url()
    from upheld_service.db import keys

    revoked = _in_session(url, lambda admin: keys.revoke(admin, prefix))
    if as_json:
        show.print_json(revoked)
    else:
        show.out.print(Text(f"Key {revoked.prefix} is revoked."))


def _database_url() -> SecretStr | None:
    """The setting, if what uses it is installed."""
    options.need_service()
    from upheld.settings import load_settings

    return load_settings().database_url


def _in_session(url: SecretStr | None, work: Callable[[AdminSession], Awaitable[T]]) -> T:
    import asyncio

    from upheld_service.db.database import admin_session

    async def run() -> T:
        async with admin_session(url) as admin:
            return await work(admin)

    return asyncio.run(run())


def _scope(given: str) -> KeyScope:
    from upheld_service.db.keys import KeyScope

    if given not in set(KeyScope):
        known = ", ".join(KeyScope)
        raise typer.BadParameter(f"{given} is not one of {known}.", param_hint="'--scope'")
    return KeyScope(given)


def _table(found: list[Key]) -> Table:
    table = Table("key", "may", "labels", "made", "expires", "", box=None, pad_edge=False)
    for each in found:
        table.add_row(
            Text(each.prefix, style="bold"),
            Text(", ".join(sorted(each.scopes))),
            Text("all" if each.labels is None else ", ".join(sorted(each.labels)) or "none"),
            _day(each.created_at),
            "never" if each.expires_at is None else _day(each.expires_at),
            Text("revoked", style="red") if each.revoked_at else "",
        )
    return table


def _day(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d}"
