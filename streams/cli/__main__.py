"""``python -m streams.cli``: how the supervisor starts its processes."""

from streams.cli.app import main

main()
