"""The stores: snapshots of documents, and the read side, in SQLite or in MongoDB.

Both have the same parts, each for its caller: ``snapshots`` for the fetch agent, ``read_side`` for
the record agent, ``subscriptions``, ``facts`` and ``texts`` for the API, ``rows`` for ``vokter
store copy``.
"""
