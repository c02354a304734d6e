"""The processes that there are besides those that read pages."""

import subprocess
import sys

PROGRAM = """
import asyncio, gc, os
from connectors.processes.documents import DocumentProcesses
from tests.harness.family import descendants

async def main():
    async with DocumentProcesses(1, 60.0, (), gc.freeze) as processes:
        await processes.call(os.getpid, ())
        print(len(descendants(os.getpid())))

asyncio.run(main())
"""


def test_a_process_that_reads_pages_takes_a_server_that_forks_it_and_none_else() -> None:
    line = [sys.executable, "-c", PROGRAM]
    assert subprocess.run(line, capture_output=True, text=True, check=True).stdout == "2\n"
