"""A file of files: a tar archive, compressed by zstd, and encrypted if asked.

The encryption is STREAM (Hoang, Reyhanitabar, Rogaway and Vizár, CRYPTO 2015): pieces of AES-GCM
with a number and a mark of the last piece, so a cut file, or a file with exchanged pieces, is
refused. The key is of this file alone: scrypt (RFC 7914) of the passphrase and a salt.
"""

import hashlib
import io
import secrets
import sys
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import IO, BinaryIO

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

from infra.files import sync

PLAIN, SEALED = b"vokter backup 1\n", b"vokter backup 1, encrypted\n"
SALT = 16
PIECE = 1 << 20
TAG = 16
COST = 1 << 16
"""Of scrypt, with blocks of 8: 64 MB and a fifth of a second for each try of a passphrase."""
MEMORY = 1 << 27
MAX_DEPTH = 100
"""The most folders around a file."""
_DAMAGED = (tarfile.TarError, zstd.ZstdError, EOFError, ValueError)
"""ValueError is for a head of a member in which tarfile finds no number, or a name with NUL."""


class InvalidArchive(Exception):
    """The file cannot be read; the text says why."""


@contextmanager
def archive_to(file: BinaryIO, passphrase: str | None) -> Iterator[tarfile.TarFile]:
    """Write an archive to a file; the yielded object takes the members."""
    file.write(PLAIN if passphrase is None else SEALED)
    with (
        nullcontext(file) if passphrase is None else _Sealing(file, passphrase) as sealing,
        zstd.ZstdFile(sealing, "w", options={zstd.CompressionParameter.checksum_flag: 1}) as packed,
        tarfile.open(fileobj=packed, mode="w|") as members,
    ):
        yield members


def is_encrypted(path: Path) -> bool:
    """Return whether an archive needs a passphrase; raises InvalidArchive for any other file."""
    with path.open("rb") as file:
        return _opened(file)


def unpack(path: Path, passphrase: str | None, folder: Path) -> None:
    """Write the files of an archive into a folder.

    Raises:
        InvalidArchive: it is no archive, cut off or changed, or the passphrase is wrong.
    """
    with path.open("rb") as file:
        opening: IO[bytes] = file
        if _opened(file):
            opening = io.BufferedReader(_Opening(file, passphrase or ""), PIECE)
        try:
            with (
                zstd.ZstdFile(opening) as packed,
                tarfile.open(fileobj=packed, mode="r|") as members,
            ):
                for member in members:
                    members.extract(_checked(member), folder, set_attrs=False)
                    sync(folder / member.name)
                while packed.read(PIECE):  # to the mark of its end
                    pass
        except _DAMAGED as error:
            raise InvalidArchive(f"{path} is cut off or damaged: {error}") from error


def _checked(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Refuse members with places elsewhere: a backup may be from anybody."""
    name = Path(member.name)
    is_file = member.isreg() and not member.issparse()
    if not is_file or name.is_absolute() or ".." in name.parts or len(name.parts) > MAX_DEPTH:
        raise InvalidArchive(f"it has a member that is no file of a backup: {member.name}")
    return member


def _opened(file: BinaryIO) -> bool:
    """Read the head of an archive, and return whether encrypted."""
    head = file.readline(len(SEALED))
    if head not in {PLAIN, SEALED}:
        raise InvalidArchive(f"{file.name} is no backup of this release")
    return head == SEALED


def _cipher(passphrase: str, salt: bytes) -> AESGCM:
    word = passphrase.encode()
    key = hashlib.scrypt(word, salt=salt, n=COST, r=8, p=1, maxmem=MEMORY, dklen=32)
    return AESGCM(key)


def _nonce(number: int, *, is_last: bool) -> bytes:
    return number.to_bytes(11, "big") + bytes([is_last])


class _Sealing(io.RawIOBase):
    """Encrypts its input, piece by piece; closing marks the end."""

    def __init__(self, file: BinaryIO, passphrase: str) -> None:
        self._file = file
        salt = secrets.token_bytes(SALT)
        file.write(salt)
        self._cipher = _cipher(passphrase, salt)
        self._waiting = bytearray()
        self._number = 0

    def writable(self) -> bool:
        return True

    def write(self, data: "bytes | bytearray | memoryview") -> int:  # type: ignore[override]
        self._waiting += data
        while len(self._waiting) > PIECE:
            self._seal(PIECE, is_last=False)
        return len(data)

    def close(self) -> None:
        if not self.closed:
            self._seal(len(self._waiting), is_last=True)
        super().close()

    def _seal(self, count: int, *, is_last: bool) -> None:
        piece = bytes(self._waiting[:count])
        del self._waiting[:count]
        nonce = _nonce(self._number, is_last=is_last)
        self._file.write(self._cipher.encrypt(nonce, piece, None))
        self._number += 1


class _Opening(io.RawIOBase):
    """Decrypts an archive, piece by piece; raises InvalidArchive for a wrong piece."""

    def __init__(self, file: BinaryIO, passphrase: str) -> None:
        self._file = file
        self._cipher = _cipher(passphrase, file.read(SALT))
        self._next = file.read(PIECE + TAG)
        self._number = 0
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "bytearray | memoryview") -> int:  # type: ignore[override]
        if not self._rest and self._next:
            sealed, self._next = self._next, self._file.read(PIECE + TAG)
            nonce = _nonce(self._number, is_last=not self._next)
            self._number += 1
            try:
                self._rest = self._cipher.decrypt(nonce, sealed, None)
            except InvalidTag:
                wrong = "the passphrase is wrong, or " if self._number == 1 else ""
                raise InvalidArchive(f"{wrong}the file is cut off or was changed") from None
        count = min(len(buffer), len(self._rest))
        buffer[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count
