"""The REST API, see docs/rest.md."""
