"""The names of other tools, in a module that a command can import before it runs."""

from typing import Literal

Tool = Literal["changedetection", "urlwatch", "webchanges"]
"""The tools from which watches can be imported."""
