"""The REST API; see docs/rest.md for what it promises."""
