"""What a key may do."""

from enum import StrEnum


class Role(StrEnum):
    """What a key may do; each role may do all that the ones before it may.

    READ sees what its manager may see. WRITE also changes it. ADMIN also sees and repairs the
    deployment, which all managers share, but not what other managers watch.

    >>> Role.ADMIN.allows(Role.WRITE), Role.READ.allows(Role.WRITE)
    (True, False)
    """

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"

    def allows(self, needed: "Role") -> bool:
        """Whether this role may do what another one is needed for."""
        order = list(Role)
        return order.index(self) >= order.index(needed)
