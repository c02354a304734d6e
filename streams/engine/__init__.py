"""The engine: runs an agent on Kafka, and alone acknowledges.

An agent is plain functions from an event to an ``Outcome``. Per partition and in order:
outputs acknowledged by the broker, then the changelog record, then the local table, then
the event (see docs/architecture.md).

``worker`` is what an agent declares and ``process`` what runs it. ``runners`` decide what is
handled when, ``acks`` what is acknowledged, ``faust`` is Faust and its patches, ``life``
notices a process that should end, ``traces`` are OpenTelemetry's.
"""
