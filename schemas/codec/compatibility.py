"""Whether records of an Avro schema can be read with another schema."""

from avro.compatibility import ReaderWriterCompatibilityChecker, SchemaCompatibilityType
from avro.errors import AvroException
from avro.schema import parse


def unreadable_reason(reader: str, writer: str) -> str:
    """Return why ``reader`` cannot read the records of ``writer``, empty when compatible.

    Both are Avro schemas in JSON. The rules are those of the Avro specification, "Schema
    Resolution", as Apache's own library applies them.

    >>> unreadable_reason('"long"', '"int"')
    ''
    >>> unreadable_reason('"int"', '"long"')
    'type mismatch (reader type: int not compatible with writer type: long)'
    """
    try:
        checker = ReaderWriterCompatibilityChecker()  # type: ignore[no-untyped-call]
        result = checker.get_compatibility(parse(reader), parse(writer))
    except AvroException as error:
        return f"not a valid Avro schema: {error}"
    if result.compatibility is SchemaCompatibilityType.compatible:
        return ""
    kinds = dict.fromkeys(each.value.replace("_", " ") for each in result.incompatibilities)
    return f"{', '.join(kinds)} ({'; '.join(sorted(result.messages))})"
