"""The local Kafka broker, with its jars and its Java; and how Vokter is deployed."""
