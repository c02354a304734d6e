"""The stores: snapshots of documents, and the read side, in SQLite or in MongoDB.

Both are built of the same parts, one for each caller: ``snapshots`` for the fetch agent,
``read_side`` for the record agent, ``subscriptions``, ``facts`` and ``texts`` for the API,
``rows`` for ``vokter store copy``.
"""
