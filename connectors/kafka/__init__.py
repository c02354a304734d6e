"""Plain Kafka clients for whatever is not an agent: topics, requests, reading, groups."""
