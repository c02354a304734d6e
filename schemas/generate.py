"""Write the Avro schemas of the records into ``avro``: ``make schemas``.

``python -m schemas.generate --release`` also marks the newest versions as released.
"""

import json
import sys
from pathlib import Path

from schemas.codec.generation import generated
from schemas.codec.versions import schema_fingerprint

FOLDER = Path(__file__).with_name("avro")
RELEASED = FOLDER / "released.json"
"""The fingerprint of each released version; existing lines never change."""


def main(is_release: bool) -> None:
    """Write the files, and remove outdated files of unreleased versions."""
    released: dict[str, str] = json.loads(RELEASED.read_text("utf-8"))
    found = {path.name: path.read_text("utf-8") for path in FOLDER.glob("*.avsc")}
    files = generated(found, released)
    for name, text in files.items():
        (FOLDER / name).write_text(text, "utf-8")
    for name in found.keys() - files.keys():
        (FOLDER / name).unlink()
    if is_release:
        texts = {name.removesuffix(".avsc"): text for name, text in files.items()}
        known = {name: schema_fingerprint(json.loads(text)) for name, text in texts.items()}
        RELEASED.write_text(json.dumps(known, indent=2, sort_keys=True) + "\n", "utf-8")


if __name__ == "__main__":
    main("--release" in sys.argv[1:])
