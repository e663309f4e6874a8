"""Three roles share the database; a connection takes one of them on as it is opened.

None owns a table or may bypass row security, whoever logged in:

- `upheld_app` sees the rows of the tenant that its transaction names, and of none without a name;
- `upheld_worker` sees the queue of jobs and the ids of tenants, and nothing else;
- `upheld_admin` sees tenants, keys and the audit log, and no document or answer.
"""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """Whose powers a connection has."""

    APP = "upheld_app"
    WORKER = "upheld_worker"
    ADMIN = "upheld_admin"
