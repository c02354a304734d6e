"""``python -m streams.cli``: how the supervisor starts its processes."""

from streams.cli.entry import main

main()
