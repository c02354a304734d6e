"""``python -m streams.cli``, as the supervisor starts its processes."""

from streams.cli.commands import main

main()
