"""How partitions are added: where each row and each message belongs afterwards.

The new count is a multiple of the former one, so partition 3 of 8 is divided among 3, 11, 19 and
27 of 32, and nothing goes from one old partition to another::

      former partition 3                       partitions of 32
      ──────────────────                       ────────────────
      rows of its tables ──── rows.py ───────► 3  11  19  27
      messages that wait ──── messages.py ───► 3  11  19  27, in their order
      committed offsets ───── positions.py ──► the first copy that each stage has not read
"""
