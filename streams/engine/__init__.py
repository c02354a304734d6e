"""Faust, mended: the only code that knows Faust, and the only code that acknowledges.

A stage is plain functions from an event to an ``Outcome``. Per partition and in
order: outputs acknowledged by the broker, then the changelog record, then the
local table, then the event (see docs/architecture.md).
"""
