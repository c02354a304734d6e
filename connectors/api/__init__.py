"""The REST API, as docs/rest.md documents it."""
