"""An S3 server for tests, moto's, in an environment that uv makes: botocore's pins are not ours."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path

import pytest

START_S = 300.0
_REQUIRED = ("moto[s3]==5.2.5", "flask>=3.1", "flask-cors>=6.0")


@contextmanager
def bucket(folder: Path, environment: pytest.MonkeyPatch) -> Iterator[str]:
    """Run a server until left, with a bucket; returns its URL and sets the variables ``AWS_…``."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    uv = Path(sys.executable).with_name("uv")
    extra = [part for each in _REQUIRED[1:] for part in ("--with", each)]
    command = [str(uv), "tool", "run", "--quiet", "--from", _REQUIRED[0], *extra, "moto_server"]
    with (folder / "s3.log").open("wb") as log:
        server = subprocess.Popen([*command, "-p", str(port)], stdout=log, stderr=log)
    try:
        _create_bucket(port, server, folder / "s3.log")
        for name, value in {
            "ENDPOINT_URL": f"http://127.0.0.1:{port}",
            "REGION": "eu-west-1",
            "ACCESS_KEY_ID": "test",
            "SECRET_ACCESS_KEY": "test",
        }.items():
            environment.setenv(f"AWS_{name}", value)
        yield "s3://pages"
    finally:
        server.terminate()
        server.wait()


def _create_bucket(port: int, server: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + START_S
    while True:
        with closing(HTTPConnection("127.0.0.1", port)) as connection, suppress(OSError):
            connection.request("PUT", "/pages")
            assert connection.getresponse().status == 200
            return
        if server.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(log.read_text())
        time.sleep(0.1)
