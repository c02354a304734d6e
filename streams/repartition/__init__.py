"""Adds partitions to the topics of a deployment: `vokter repartition`.

Every step may be interrupted, and repeated: its input is noted, and does not change until the last
step.
"""
