"""File systems of other machines, on which locks may not hold."""

import re
from contextlib import suppress
from pathlib import Path

NETWORK = {
    *("afs", "beegfs", "ceph", "cifs", "glusterfs", "gpfs", "lustre", "nfs", "nfs4", "smb3"),
    *("smbfs", "fuse.ceph", "fuse.glusterfs", "fuse.juicefs", "fuse.s3fs", "fuse.sshfs"),
}
"""Names of file systems in Linux that several machines can have mounted."""
MOUNTS = Path("/proc/self/mounts")
_OCTAL = re.compile(r"\\([0-7]{3})")


def network_file_system(path: Path) -> str | None:
    """Return the kind of network file system that a path is on, None if none is known."""
    with suppress(OSError):  # it is Linux's alone
        return network_kind(path.absolute().resolve(), MOUNTS.read_text("utf-8", "replace"))
    return None


def network_kind(path: Path, mounts: str) -> str | None:
    r"""Return the same from the text of the system's mounts.

    >>> network_kind(Path("/srv/data"), "/dev/sda1 / ext4 rw 0 0\nhost:/srv /srv nfs4 rw 0 0")
    'nfs4'
    """
    found = [line.split(" ") for line in mounts.splitlines()]
    kinds: dict[Path, str] = {}
    for _, point, kind, *_ in found:  # a later mount hides others
        # White space is octal there (proc_pid_mounts(5)).
        kinds[Path(_OCTAL.sub(lambda code: chr(int(code[1], 8)), point))] = kind
    around = next((each for each in (path, *path.parents) if each in kinds), None)
    found_kind = kinds[around] if around is not None else ""
    return found_kind if found_kind in NETWORK else None
