"""The names of other tools, in a module cheap to import for a command."""

from typing import Literal

Tool = Literal["changedetection", "urlwatch", "webchanges"]
"""The tools from which watches can be imported."""
