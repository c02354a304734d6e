"""Roles: the rights of a key."""

from enum import StrEnum


class Role(StrEnum):
    """The rights of a key; each role has all rights of the ones before it.

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
