"""HTTP servers which no client can hold up."""

BASE = "/vokter/v1"
"""The beginning of the paths of the API."""
