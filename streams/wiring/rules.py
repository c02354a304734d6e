"""What a deployment allows in requests."""

from functools import partial

from connectors.grammars import GRAMMARS
from streams.core.register.requests import Rules
from streams.core.register.view_checks import view_faults
from streams.settings import Settings
from streams.wiring.connections import egress_policy


def rules(settings: Settings) -> Rules:
    """Return the rules by which the register checks requests."""
    refusal = egress_policy(settings).url_refusal
    return Rules(
        settings.min_interval,
        refusal,
        partial(view_faults, GRAMMARS, proxies=settings.named_proxies),
        settings.max_pages,
        # Rounded up: a small number is at least one page in each partition.
        -(-settings.max_pages_per_manager // settings.partitions),
    )
