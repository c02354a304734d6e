"""A client of a schema registry with Confluent's API."""
