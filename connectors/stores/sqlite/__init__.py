"""The embedded store: an SQLite file for all processes of a machine."""
