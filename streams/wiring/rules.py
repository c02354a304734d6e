"""What a deployment allows in requests."""

from functools import lru_cache

from connectors.grammars import GRAMMARS
from schemas.views import ViewOptions
from streams.core.register.requests import Rules
from streams.core.register.view_checks import view_faults
from streams.settings import Settings
from streams.wiring.connections import egress_policy


def rules(settings: Settings) -> Rules:
    """Return the rules by which the register checks requests."""
    refusal = egress_policy(settings).url_refusal

    @lru_cache(maxsize=256)  # most ask for few views, the default one above all
    def found_faults(view: ViewOptions) -> tuple[str, ...]:
        return tuple(view_faults(GRAMMARS, view, settings.named_proxies))

    return Rules(
        settings.min_interval,
        refusal,
        found_faults,
        settings.max_pages,
        # Rounded up: a small number is at least one page in each partition.
        -(-settings.max_pages_per_manager // settings.partitions),
    )
