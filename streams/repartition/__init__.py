"""Adds partitions to the topics of a deployment: `vokter repartition`.

Every step may be interrupted, and be done again: what it is done from is noted, and does not
change until the last one.
"""
