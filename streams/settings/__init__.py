"""Settings, from environment variables ``VOKTER_…``; docs/settings.md is their table."""

from streams.settings.model import Settings, secret_fields, variable

__all__ = ["Settings", "secret_fields", "variable"]
