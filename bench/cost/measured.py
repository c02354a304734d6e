"""Load what was measured: units by `bench.cost.measure`, the rest from ``held.json``."""

import json
from pathlib import Path

from bench.cost.model import Measured
from bench.cost.units import KINDS

HERE = Path(__file__).parent
UNITS = HERE / "measured-66000.json"


def measured(units: Path = UNITS) -> Measured:
    """Return all figures; those of the units are of pages of one size."""
    found = json.loads(units.read_text("utf-8"))
    kept = json.loads((HERE / "held.json").read_text("utf-8"))
    return Measured(
        units={kind: found[kind] for kind in KINDS},
        memory=found["resting memory"],
        held=kept["held"],
        operations={unit: each["each"] for unit, each in kept["operations"].items()},
        page=found["page"],
    )
