"""What Vokter runs on: the local Kafka broker, its jars and its Java."""
