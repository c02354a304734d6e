"""The stores: snapshots of documents, and the read side, in SQLite or in MongoDB.

Both are built of the same parts, one for each caller: ``snapshots`` for the fetch stage,
``read_side`` for the record stage, ``subscriptions``, ``facts`` and ``texts`` for the API,
``rows`` for ``vokter store copy``.
"""
