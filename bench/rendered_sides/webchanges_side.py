"""Visits a page with webchanges' command, in its environment: a job for each visit.

It starts a browser for each job, in its own way, and has one job at a time here.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

JOB = """name: visit {number}
url: {url}?{number}
use_browser: true
wait_for_selector:
  selector: "#ready"
"""


def main(url: str, visits: str, browser: str) -> None:
    """Visit it so many times."""
    with tempfile.TemporaryDirectory() as name:
        folder, count = Path(name), int(visits)
        jobs = (JOB.format(number=number, url=url) for number in range(count))
        (folder / "jobs.yaml").write_text("---\n".join(jobs))
        command = [
            *(str(Path(sys.executable).with_name("webchanges")), "--max-workers", "1"),
            *("--jobs", str(folder / "jobs.yaml"), "--config", str(folder / "config.yaml")),
            *("--database", str(folder / "snapshots.db"), "--verbose"),
        ]
        done = subprocess.run(  # noqa: S603  # our own command
            command,
            env={**os.environ, "WEBCHANGES_BROWSER_PATH": browser, "HOME": name},
            capture_output=True,
            text=True,
            check=False,
        )
        failed = done.stdout.count("ERROR") + done.stderr.count("Traceback")
        assert failed == 0, done.stdout[-2000:] + done.stderr[-2000:]


if __name__ == "__main__":
    main(*sys.argv[1:])
