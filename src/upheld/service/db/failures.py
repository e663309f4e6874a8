"""Errors of the database become errors of Upheld, here and nowhere else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import errors as pg
from sqlalchemy import exc

from upheld.errors import NotFoundError, StateError, StateUnavailableError, UsageError

_MIGRATE = "Run `upheld admin migrate` with the login that owns the database."
# What PostgreSQL cannot hold in a text: U+0000 and half a surrogate pair.
_BAD_TEXT = (pg.DataError, UnicodeEncodeError)
# The schema or the roles are not there, or the login may not take the role on.
_NOT_READY = (pg.UndefinedTable, pg.UndefinedFunction, pg.InsufficientPrivilege)


@contextmanager
def translated() -> Iterator[None]:
    """Run statements; what goes wrong is told in our words, never with the values given."""
    try:
        yield
    except (exc.SQLAlchemyError, psycopg.Error, UnicodeEncodeError) as error:
        raise _ours(error) from error


def _ours(error: Exception) -> Exception:
    cause = error.orig if isinstance(error, exc.DBAPIError) and error.orig else error
    if isinstance(cause, pg.ForeignKeyViolation):
        return NotFoundError("There is no such tenant, collection or document.")
    if isinstance(cause, _BAD_TEXT):
        return UsageError("A name or text has characters that cannot be stored.")
    if isinstance(cause, _NOT_READY) or _no_such_role(cause):
        return StateError("The database is not ready for this login.", help=_MIGRATE)
    if isinstance(cause, psycopg.OperationalError | exc.TimeoutError):
        return StateUnavailableError(f"The database does not answer ({type(cause).__name__}).")
    return StateError(f"The database refused a statement ({type(cause).__name__}).")


def _no_such_role(cause: BaseException) -> bool:
    """While connecting, psycopg gives PostgreSQL's words and no code."""
    told = str(cause)
    return 'role "upheld_' in told or 'parameter "role"' in told
