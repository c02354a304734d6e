"""What a sending process may open; called here as Python calls it, without being a hook."""

import certifi
import pytest

from connectors.channels.audit_hook import ActionForbidden, AuditHook


@pytest.mark.parametrize("path", [certifi.where(), "/etc/ssl/certs/ca.pem", "/etc/hosts"])
def test_certificates_and_names_of_hosts_are_read(path: str) -> None:
    AuditHook()("open", (path, "r", 0))


@pytest.mark.parametrize(
    "path",
    ["/etc/passwd", "/etc/ssl/private/key.pem", "/etc/pki/tls/private/a.key", "/proc/self/environ"],
)
def test_no_other_file_is_read(path: str) -> None:
    hook = AuditHook()
    with pytest.raises(ActionForbidden, match="wants to read a file"):
        hook("open", (path, "r", 0))


@pytest.mark.parametrize("event", ["subprocess.Popen", "os.fork", "socket.bind", "ctypes.dlopen"])
def test_nothing_is_started(event: str) -> None:
    with pytest.raises(ActionForbidden, match="may not"):
        AuditHook()(event, ())
