"""Archived captures of pages, in WARC files of a user."""
