"""Roles: the rights of a key."""

from enum import StrEnum


class Role(StrEnum):
    """The rights of a key; each role has all rights of the roles before.

    READ sees the manager's data. WRITE also changes the data. ADMIN also sees and repairs the
    deployment shared by all managers, but not the watches of other managers.

    >>> Role.ADMIN.allows(Role.WRITE), Role.READ.allows(Role.WRITE)
    (True, False)
    """

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"

    def allows(self, needed: "Role") -> bool:
        """Whether this role includes another."""
        order = list(Role)
        return order.index(self) >= order.index(needed)
