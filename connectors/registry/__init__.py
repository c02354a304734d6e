"""A schema registry with Confluent's API: which id a schema has, and which schema an id."""
