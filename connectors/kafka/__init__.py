"""Plain Kafka clients for whatever is not a stage: topics, requests, reading, groups."""
