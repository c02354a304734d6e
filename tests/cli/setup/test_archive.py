"""A backup is read back as it was written, or refused: whatever was cut off or changed."""

import io
import tarfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.cli.setup import archive
from streams.cli.setup.archive import InvalidArchive, archive_to, is_encrypted, unpack


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces of 64 bytes, so that a short file has several; and cheap keys."""
    monkeypatch.setattr(archive, "PIECE", 64)
    monkeypatch.setattr(archive, "COST", 2)


def packed(files: dict[str, bytes], passphrase: str | None) -> bytes:
    out = io.BytesIO()
    with archive_to(out, passphrase) as members:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            members.addfile(member, io.BytesIO(content))
    return out.getvalue()


def unpacked(content: bytes, passphrase: str | None, folder: Path) -> dict[str, bytes]:
    file, target = folder / "backup", folder / "target"
    file.write_bytes(content)
    target.mkdir()
    unpack(file, passphrase, target)
    found = (each for each in target.rglob("*") if each.is_file())
    return {str(each.relative_to(target)): each.read_bytes() for each in found}


@pytest.mark.parametrize("passphrase", [None, "geheim ü"])
def test_files_are_read_back_as_they_were(passphrase: str | None, tmp_path: Path) -> None:
    files = {"note": b"", "kafka/kafka/a-0/0.log": bytes(range(256)) * 40, "vokter.db": b"rows"}
    content = packed(files, passphrase)
    assert passphrase is None or b"vokter" not in content[len(archive.SEALED) :]
    assert unpacked(content, passphrase, tmp_path) == files
    assert is_encrypted(tmp_path / "backup") == (passphrase is not None)


@pytest.mark.parametrize("passphrase", [None, "geheim"])
@given(data=st.data())
def test_a_file_that_is_cut_off_is_refused(
    passphrase: str | None, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    content = packed({"a": b"one" * 50, "b": bytes(range(200))}, passphrase)
    kept = data.draw(st.integers(0, len(content) - 1))
    with pytest.raises(InvalidArchive):
        unpacked(content[:kept], passphrase, tmp_path_factory.mktemp("cut"))


@given(data=st.data())
def test_an_encrypted_file_of_which_a_byte_was_changed_is_refused(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    content = bytearray(packed({"a": bytes(range(256))}, "geheim"))
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] ^= data.draw(st.integers(1, 255))
    with pytest.raises(InvalidArchive):
        unpacked(bytes(content), "geheim", tmp_path_factory.mktemp("changed"))


def test_pieces_that_changed_places_are_refused(tmp_path: Path) -> None:
    content = packed({"a": bytes(range(256)) * 2}, "geheim")
    begin, piece = len(archive.SEALED) + archive.SALT, archive.PIECE + archive.TAG
    first, second = content[begin : begin + piece], content[begin + piece : begin + 2 * piece]
    with pytest.raises(InvalidArchive, match="passphrase is wrong"):
        unpacked(
            content[:begin] + second + first + content[begin + 2 * piece :], "geheim", tmp_path
        )


def test_a_wrong_passphrase_is_said_to_be_wrong(tmp_path: Path) -> None:
    with pytest.raises(InvalidArchive, match="passphrase is wrong"):
        unpacked(packed({"a": b"1"}, "geheim"), "geraten", tmp_path)


@pytest.mark.parametrize("name", ["../up", "/etc/passwd", "a/../../up", "a/" * 2_000 + "a"])
def test_a_member_that_would_be_written_elsewhere_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidArchive, match="no file of a backup"):
        unpacked(packed({name: b"mine"}, None), None, tmp_path)


def test_a_link_is_refused(tmp_path: Path) -> None:
    out = io.BytesIO()
    with archive_to(out, None) as members:
        link = tarfile.TarInfo("a")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        members.addfile(link)
    with pytest.raises(InvalidArchive, match="no file of a backup"):
        unpacked(out.getvalue(), None, tmp_path)


@pytest.mark.parametrize("size", ["5", "99999999999"])
def test_a_file_with_holes_is_refused(size: str, tmp_path: Path) -> None:
    out = io.BytesIO()
    with archive_to(out, None) as members:
        member = tarfile.TarInfo("a")
        member.pax_headers = {"GNU.sparse.map": "0,0", "GNU.sparse.size": size}
        members.addfile(member)
    with pytest.raises(InvalidArchive, match="no file of a backup"):
        unpacked(out.getvalue(), None, tmp_path)


@pytest.mark.parametrize("path", ["GNU.sparse.map", "path"])
def test_a_head_that_means_nothing_is_refused(path: str, tmp_path: Path) -> None:
    out = io.BytesIO()
    with archive_to(out, None) as members:
        member = tarfile.TarInfo("a")
        member.pax_headers = {path: "0,\0"}
        members.addfile(member)
    with pytest.raises(InvalidArchive, match="cut off or damaged"):
        unpacked(out.getvalue(), None, tmp_path)


def test_another_file_is_no_backup(tmp_path: Path) -> None:
    with pytest.raises(InvalidArchive, match="no backup"):
        unpacked(b"PK\x03\x04", None, tmp_path)
