"""Archived captures of pages, in WARC files that a user hands over."""
