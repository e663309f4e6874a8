"""Real servers for the bench: a private PostgreSQL, a language model, and `upheld serve`."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
from pydantic import SecretStr

from upheld.errors import UpheldError
from upheld.types import Passage
from upheld_lab.bench.service.usage import cpu_seconds, family
from upheld_service.db import keys, tenants
from upheld_service.db.database import admin_session
from upheld_service.db.dev_postgres import PrivatePostgres
from upheld_service.db.keys import KeyScope

START_SECONDS = 120.0
_LOOK_SECONDS = 0.1
_TOLD = "Upheld answers at "
_NO_LIMIT = "1000000000"


@dataclass(frozen=True, slots=True)
class House:
    """A database, a knowledge base and a tenant: what servers of the same documents share."""

    folder: Path
    database: SecretStr
    key: SecretStr

    @classmethod
    async def new(cls, postgres: PrivatePostgres, folder: Path, name: str) -> House:
        owner, service = await asyncio.to_thread(postgres.database, name)
        async with admin_session(owner) as admin:
            tenant = await tenants.add(admin, name)
            _, key = await keys.add(admin, tenant, scopes=KeyScope, labels=None, expires_at=None)
        (folder / name).mkdir()
        return cls(folder / name, service, key)


@dataclass(frozen=True, slots=True)
class Served:
    """A running `upheld serve`."""

    url: str
    process: int

    @property
    def processes(self) -> list[int]:
        return family(self.process)

    def cpu(self) -> dict[int, float]:
        """Seconds of processor that each process has used."""
        return {each: cpu_seconds(each) for each in self.processes}

    def client(self, house: House) -> httpx2.AsyncClient:
        headers = {"Authorization": f"Bearer {house.key.get_secret_value()}"}
        return httpx2.AsyncClient(base_url=self.url, headers=headers, timeout=60)


@asynccontextmanager
async def serving(house: House, *, processes: int = 1, **settings: str) -> AsyncIterator[Served]:
    """`upheld serve` as anybody starts it, with no limit on how often a tenant may ask."""
    given = {
        "KB": str(house.folder / "kb"),
        "DATABASE_URL": house.database.get_secret_value(),
        "TENANT_PER_MINUTE": _NO_LIMIT,
        "TENANT_BURST": _NO_LIMIT,
        "LLM_MODEL": "scripted",
        "LLM_CONCURRENCY": "64",
        **{name.upper(): value for name, value in settings.items()},
    }
    # Nothing that this machine has set counts, nor a file in the working folder.
    others = {name: value for name, value in os.environ.items() if not name.startswith("UPHELD_")}
    log = house.folder / f"serve-{processes}.log"
    with log.open("wb") as output:
        supervisor = await asyncio.create_subprocess_exec(
            # Whatever becomes of the bench, what it started ends with it.
            *(sys.executable, "-P", "-m", "upheld_service.db.supervise", ""),
            *(sys.executable, "-P", "-m", "upheld", "serve", "--port", "0"),
            *("--processes", str(processes)),
            env=others | {f"UPHELD_{name}": value for name, value in given.items()},
            cwd=house.folder,
            stdin=asyncio.subprocess.PIPE,
            stderr=output,
        )
    try:
        url = await _address(supervisor, log)
        _, server, *_ = family(supervisor.pid)
        yield Served(url, server)
    finally:
        await _end(supervisor)


@asynccontextmanager
async def scripted_model(seconds: float, *more: float) -> AsyncIterator[str]:
    """The address of a language model that takes so long; `more`: claims, and tokens a second."""
    process = await asyncio.create_subprocess_exec(
        *(
            sys.executable,
            "-P",
            "-m",
            "upheld_lab.bench.service.model",
            *map(str, (seconds, *more)),
        ),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        yield (await process.stdout.readline()).decode().strip()
    finally:
        await _end(process)


async def fill(served: Served, house: House, documents: Sequence[tuple[str, Passage]]) -> None:
    """Give documents, and wait until they can be found."""
    async with served.client(house) as client:
        for id, passage in documents:
            where = f"/v1/collections/default/documents/{id}"
            text = f"{passage.title}\n\n{passage.text}".encode()
            given = await client.put(where, content=text, headers={"Content-Type": "text/plain"})
            given.raise_for_status()
        async with asyncio.timeout(START_SECONDS):
            while await _in_progress(client):  # noqa: ASYNC110  # it happens in another process
                await asyncio.sleep(_LOOK_SECONDS)
        listed = (await client.get("/v1/collections/default/documents")).json()["documents"]
        if any(each["status"] != "ready" for each in listed):
            raise UpheldError("The service could not read the documents of the bench.")


async def _in_progress(client: httpx2.AsyncClient) -> bool:
    jobs = (await client.get("/v1/jobs")).raise_for_status().json()["jobs"]
    return any(job["status"] in ("todo", "doing") for job in jobs)


async def _address(process: asyncio.subprocess.Process, log: Path) -> str:
    async with asyncio.timeout(START_SECONDS):
        while process.returncode is None:
            for line in (await asyncio.to_thread(log.read_text)).splitlines():
                if _TOLD in line:
                    return line.partition(_TOLD)[2].strip()
            await asyncio.sleep(_LOOK_SECONDS)
    told = (await asyncio.to_thread(log.read_text))[-1000:]
    raise UpheldError(f"`upheld serve` did not start:\n{told}")


async def _end(process: asyncio.subprocess.Process) -> None:
    """It ends with its input."""
    assert process.stdin is not None
    process.stdin.close()
    await process.wait()
