"""Remakes the locks of Kafka Connect, with its file sink, and of a converter for Avro."""

from pathlib import Path

from infra.jars import KAFKA_VERSION
from infra.lock_kafka import LOGGER, write_lock

FOLDER = Path(__file__).parent
RUNTIME, CONVERTER = FOLDER / "runtime.lock", FOLDER / "converter.lock"
RUNTIME_ROOTS = (
    ("org.apache.kafka", "connect-runtime", KAFKA_VERSION),
    ("org.apache.kafka", "connect-file", KAFKA_VERSION),
    LOGGER,
)
# The last one of which Maven Central has all that it needs.
CONVERTER_ROOTS = (("io.apicurio", "apicurio-registry-utils-converter", "2.6.13.Final"),)


def main() -> None:
    """Replace both; needs `mvn` and network access."""
    write_lock(RUNTIME, RUNTIME_ROOTS)
    write_lock(CONVERTER, CONVERTER_ROOTS)


if __name__ == "__main__":
    main()
