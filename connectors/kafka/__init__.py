"""Plain Kafka clients, for all that is no stage: topics, requests, facts, groups."""
