"""A broker that wants TLS and a password, from all clients of a deployment, which compress."""

import datetime as dt
import re
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme
from aiohttp import ClientSession
from aiokafka import AIOKafkaProducer
from bs4 import BeautifulSoup
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # it re-exports silently
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ResourcePatternType,
    ResourceType,
)
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from infra import broker_config
from infra.broker import LocalBroker
from infra.ports import any_free
from schemas.records.topics import DEPLOYMENT, SUBSCRIPTION_REQUESTS
from streams.effects.connections import kafka_access
from tests.docs.reading import text
from tests.harness.commands import vokter
from tests.harness.hooks import Hooks
from tests.harness.pages import Pages
from tests.harness.processes import ON_THE_WAY, Deployment, environment
from tests.harness.rest import client
from tests.harness.waiting import TIMEOUT_S, eventually, until

PASSWORD = "let-us-in-4711"  # noqa: S105 - of the test's own broker
USER = "vokter"
ZSTD = 4
"""As batches of Kafka have it: https://kafka.apache.org/documentation/#recordbatch"""
PROCESSES = (*ON_THE_WAY, "percolate", "judge", "history", "crawl", "api")


class SecuredBroker(LocalBroker):
    """A broker with one listener more: SASL over TLS."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, 0)
        self.ca = folder / "ca.pem"
        self.secured = any_free()
        folder.mkdir(parents=True, exist_ok=True)
        _make_certificates(folder)

    def _configure(self, command: list[str]) -> None:
        super()._configure(command)
        path = self.data_dir / broker_config.SERVER_PROPERTIES
        plain = path.read_text("utf-8")
        lines = dict(line.split("=", 1) for line in plain.splitlines())
        secured = f"SASL_SSL://{broker_config.HOST}:{self.secured}"
        users = " ".join(f'user_{name}="{PASSWORD}"' for name in (USER, *PROCESSES))
        more = {
            "listeners": f"{lines['listeners']},{secured}",
            "advertised.listeners": f"{lines['advertised.listeners']},{secured}",
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,SASL_SSL:SASL_SSL,"
            "CONTROLLER:PLAINTEXT",
            "sasl.enabled.mechanisms": "PLAIN",
            "listener.name.sasl_ssl.plain.sasl.jaas.config": "org.apache.kafka.common.security."
            f"plain.PlainLoginModule required {users};",
            "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            "super.users": f"User:ANONYMOUS;User:{USER}",
            "ssl.keystore.type": "PEM",
            "ssl.keystore.location": "broker.pem",
        }
        path.write_text("\n".join(f"{k}={v}" for k, v in (lines | more).items()), "utf-8")


def _make_certificates(folder: Path) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(folder / "ca.pem"))
    tomorrow = dt.datetime.now(dt.UTC) + dt.timedelta(days=1)
    issued = authority.issue_cert(broker_config.HOST, not_after=tomorrow)
    key = load_pem_private_key(issued.private_key_pem.bytes(), None)
    # Kafka reads keys in PKCS #8 only.
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    chain = b"".join(each.bytes() for each in issued.cert_chain_pems)
    (folder / "broker.pem").write_bytes(pem + chain)


@pytest.fixture(scope="module")
def secured_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecuredBroker]:
    with SecuredBroker(tmp_path_factory.mktemp("secured") / "kafka") as broker:
        yield broker


@pytest.fixture
def secured(secured_broker: SecuredBroker, tmp_path: Path) -> Iterator[Deployment]:
    with Deployment(
        f"{broker_config.HOST}:{secured_broker.secured}",
        tmp_path,
        is_kept=True,
        kafka_security="SASL_SSL",
        kafka_ca=secured_broker.ca,
        kafka_mechanism="PLAIN",
        kafka_user=USER,
        kafka_password=PASSWORD,
        kafka_compression="zstd",
    ) as deployment:
        yield deployment


@pytest.mark.parametrize(("variable", "value", "says"), [
    ("VOKTER_KAFKA_PASSWORD", "wrong", "VOKTER_KAFKA_SECURITY"),
    ("VOKTER_KAFKA_SECURITY", "PLAINTEXT", "no Kafka broker answers"),
    ("VOKTER_KAFKA_CA", "/nowhere.pem", "VOKTER_KAFKA_CA"),
])  # fmt: skip
async def test_a_client_that_may_not_connect_learns_why(
    secured: Deployment, tmp_path: Path, variable: str, value: str, says: str
) -> None:
    env = environment(secured.settings) | {variable: value}
    result = await vokter(env, tmp_path, "topics", "create")
    assert result.status != 0
    assert says in result.err
    assert "Traceback" not in result.err
    assert PASSWORD not in result.err + result.out


async def test_over_tls_with_a_password_topics_are_created(
    secured: Deployment, tmp_path: Path
) -> None:
    created = await vokter(environment(secured.settings), tmp_path, "topics", "create")
    assert created.status == 0, created.err


@pytest.mark.slow  # eleven processes, each with its own rights
async def test_over_tls_with_passwords_the_rights_of_the_readme_are_enough_and_no_log_has_one(
    secured: Deployment, secured_broker: SecuredBroker, tmp_path: Path, pages: Pages, hooks: Hooks
) -> None:
    settings = secured.settings
    created = await vokter(environment(settings), tmp_path, "topics", "create")
    assert created.status == 0, created.err
    await _grant(secured_broker.bootstrap, settings.topic_prefix)
    for name in PROCESSES:
        secured.start(name, is_apart=True, kafka_user=name)
    page, hook, late = pages.add("<p>the giant"), hooks.add(), hooks.add()
    plain = {"bootstrap_servers": secured_broker.bootstrap, "compression_type": "zstd"}
    async with AIOKafkaProducer(**plain) as kafka:
        await kafka.send_and_wait(settings.topic_prefix + SUBSCRIPTION_REQUESTS.name, b"poison")
    async with client(settings.port) as rest:
        await rest.ready()
        await rest.subscribe(page.url, hook.url, "argus")
        await page.stored()
        page.text = "<p>the giant argus"
        assert await hook.notified()
        await rest.shows(lambda item: item["lastCheck"], "the last check")
        await rest.shows_in_history("changes", 1, documentUrl=page.url)
        await rest.subscribe(page.url, late.url, "argus")
        await rest.call("/backfill", {"documentUrl": page.url, "clientUrl": late.url})
        assert await late.notified()
        for each in (hook, late):
            await rest.cancel(page.url, each.url)
        health = await rest.health()
        await eventually(lambda: _lists(settings.port, "poison"), "the page lists a dead letter")
        found = await eventually(lambda: _findings(settings.port), "the page has its findings")
    assert health is not None
    assert {"clock", "dead letters", *ON_THE_WAY} <= found.keys()
    assert not found["clock"] & {"bad", "warning"}, "the page may read the last tick"
    assert PASSWORD not in str(health.body)
    assert all(PASSWORD not in log.read_text("utf-8", "replace") for log in secured.logs())
    written = _compressions(secured_broker.data_dir, settings.topic_prefix)
    assert {"notifications", "subscription-requests", "match-subscriptions-changelog"} <= set(
        written
    )
    assert set(written.values()) == {ZSTD}


async def _page(port: int, path: str) -> BeautifulSoup:
    async with ClientSession(f"http://127.0.0.1:{port}") as http, http.get(path) as answer:
        return BeautifulSoup(await answer.text(), "html.parser")


async def _lists(port: int, letter: str) -> bool:
    """Return whether the page lists a dead letter."""
    return letter in (await _page(port, "/dead-letters")).get_text()


async def _findings(port: int) -> dict[str, set[str]] | None:
    """Return how bad what the page finds is, by what it is about; None while it is looking."""
    found: dict[str, set[str]] = {}
    for each in (await _page(port, "/pipeline")).select("#findings .state"):
        found.setdefault(each.get_text(), set()).update(each.get_attribute_list("class"))
    return found or None


def _compressions(folder: Path, prefix: str) -> dict[str, int]:
    """How the first batch of each topic is compressed, but for what commands write."""
    found = {}
    for log in folder.rglob(f"{prefix}*/*.log"):
        topic = log.parent.name.removeprefix(prefix).rpartition("-")[0]
        # Its attributes are at byte 21; the last three bits are the codec.
        if (batch := log.read_bytes()[:23]) and topic != DEPLOYMENT.name:
            found[topic] = batch[22] & 7
    return found


async def _grant(bootstrap: str, prefix: str) -> None:
    """Configure every process with what the table of the page says, and the lines below it."""
    rules = [rule for row in _rows() for rule in _rules(prefix, *row)]
    admin = AdminClient({"bootstrap.servers": bootstrap})
    for done in admin.create_acls(rules).values():
        done.result(TIMEOUT_S)
    # The controller has them now; the broker obeys them a moment later.
    await until(lambda: set(rules) <= set(_granted(admin)), "the broker knows all rights")


def _granted(admin: AdminClient) -> list[AclBinding]:
    every = AclBindingFilter(
        ResourceType.ANY,
        None,  # type: ignore[arg-type]  # any name; the stub knows only names
        ResourcePatternType.ANY,
        None,  # type: ignore[arg-type]
        None,  # type: ignore[arg-type]
        AclOperation.ANY,
        AclPermissionType.ANY,
    )
    granted: list[AclBinding] = admin.describe_acls(every).result(TIMEOUT_S)
    return granted


def _rows() -> list[tuple[str, list[str], list[str], str]]:
    """Process, topics read, topics written, group."""
    names = r"`([a-z -]+)`"
    lines = [
        line for line in text("docs/how-to/secured-kafka.md").splitlines() if line.startswith("| `")
    ]
    cells = [line.strip("| ").split(" | ") for line in lines]
    return [
        (re.findall(names, row[0])[0], *(re.findall(names, row[n]) for n in (1, 2)), row[3])
        for row in cells
        if len(row) == 4 and row[0].strip("`") in PROCESSES
    ]


def _rules(
    prefix: str, name: str, reads: list[str], writes: list[str], group: str
) -> Iterator[AclBinding]:
    def rule(kind: ResourceType, what: str, may: AclOperation, whole: bool = True) -> AclBinding:
        pattern = ResourcePatternType.LITERAL if whole else ResourcePatternType.PREFIXED
        who, allow = f"User:{name}", AclPermissionType.ALLOW
        return AclBinding(kind, what, pattern, who, "*", may, allow)

    for topic in (*reads, "deployment"):
        yield rule(ResourceType.TOPIC, prefix + topic, AclOperation.READ)
    for topic in (*writes, "deployment"):
        yield rule(ResourceType.TOPIC, prefix + topic, AclOperation.WRITE)
    for may in (AclOperation.READ, AclOperation.WRITE):
        yield rule(ResourceType.TOPIC, f"{prefix}{name}-", may, whole=False)
    for may in (AclOperation.DESCRIBE, AclOperation.DESCRIBE_CONFIGS):
        yield rule(ResourceType.TOPIC, prefix, may, whole=False)
    if group != "none":
        yield rule(ResourceType.GROUP, prefix + group.strip("`"), AclOperation.READ)
    if name == "api":
        yield rule(ResourceType.GROUP, prefix, AclOperation.DESCRIBE, whole=False)


def test_without_a_file_the_systems_authorities_count(secured: Deployment) -> None:
    access = kafka_access(secured.settings.model_copy(update={"kafka_ca": None}))
    assert access.ssl_context is not None
    assert access.ssl_context.verify_mode == ssl.CERT_REQUIRED
    assert PASSWORD not in repr(access) + repr(secured.settings)
