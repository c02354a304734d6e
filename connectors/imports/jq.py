"""Paths of jq as JSONPath; a program of jq may be more than a path."""

import re

NO_JQ = "jq computes what it prints, and a JSONPath only finds it; one may find the same"
_STEP = re.compile(
    r"""\.(?P<name>[A-Za-z_]\w*)|\.(?P<key>"[^"\\]*")|\.?\[(?P<inside>-?\d+|"[^"\\]*"|)\]""",
    re.ASCII,
)


def json_path_of_jq(query: str) -> str | None:
    """Return the JSONPath that finds the same as a path of jq, None if the query is no path.

    Example:
        >>> json_path_of_jq(".items[].price"), json_path_of_jq(".items | length")
        ('$.items[*].price', None)
    """
    text = query.strip()
    if text == ".":
        return "$"
    path, at = "$", 0
    while text.startswith(".") and at < len(text):
        step = _STEP.match(text, at)
        if step is None:
            return None
        name, inside = step["name"], step["key"] or step["inside"] or "*"
        path, at = path + (f".{name}" if name else f"[{inside}]"), step.end()
    return path if at else None
