"""What is deployed by compose and Kubernetes names commands, settings and files that there are."""

import json
import re
import shutil
import subprocess
import tomllib
from functools import cache
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import typer
import yaml
from compose_spec import PyCompose
from typer.testing import CliRunner

from streams import app
from streams.cli.app import app as cli
from streams.cli.commands import load_command
from streams.engine.process import STOP_TIMEOUT_S
from streams.settings import Settings, variable
from streams.values.agent import group_id
from tests.docs.reading import ROOT, text

INFRA = ROOT / "infra"
KUBERNETES = INFRA / "kubernetes"
KUSTOMIZATION = KUBERNETES / "kustomization.yaml"
VERSION = "1.33"
AGENTS = set(app.AGENTS)
WITH_STATE = {name for name, agent in app.AGENTS.items() if agent.tables}
KEY = "k" * 40
IMAGES = {"vokter-worker", "vokter-render"}
OTHERS = {"kafka", "mongo", "registry", "prometheus", "grafana"}


def compose() -> dict[str, Any]:
    found = yaml.load(text("infra/docker-compose.yml"), yaml.CSafeLoader)
    assert isinstance(found, dict)
    return found


def ours() -> dict[str, Any]:
    """The services that run Vokter."""
    services = compose()["services"].items()
    return {name: service for name, service in services if service["image"] in IMAGES}


@cache
def manifests() -> list[dict[str, Any]]:
    """Return all manifests; to read them takes a third of a second."""
    files = sorted(set(KUBERNETES.glob("*.yaml")) - {KUSTOMIZATION})
    return [
        each for file in files for each in yaml.load_all(file.read_text("utf-8"), yaml.CSafeLoader)
    ]


@cache
def chart(name: str) -> dict[str, Any]:
    found = yaml.load(text(f"infra/helm/{name}.yaml"), yaml.CSafeLoader)
    assert isinstance(found, dict)
    return found


def of_kind(*kinds: str) -> dict[str, dict[str, Any]]:
    return {m["metadata"]["name"]: m for m in manifests() if m["kind"] in kinds}


def pods() -> dict[str, dict[str, Any]]:
    """What runs Vokter, by its name."""
    workloads = of_kind("Deployment", "StatefulSet", "Job").items()
    return {name: each["spec"]["template"]["spec"] for name, each in workloads}


def container(name: str) -> dict[str, Any]:
    (found,) = pods()[name]["containers"]
    return dict(found)


def is_command(words: list[str]) -> bool:
    """Whether these are the name of a command and as many arguments as it takes."""
    command, rest = load_command(words[0]), words[1:]
    while rest and isinstance(command, typer.core.TyperGroup):
        command = command.commands.get(rest.pop(0))
    return isinstance(command, typer.core.TyperCommand) and (
        set(rest) <= AGENTS if command.name == "worker" else not rest
    )


def settings(variables: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Settings:
    """What a process makes of its variables, all of which must be settings."""
    fields = {variable(name) for name in Settings.model_fields}
    assert variables.keys() <= fields
    for name, value in variables.items():
        monkeypatch.setenv(name, re.sub(r"\$\{\w+:-(.*)\}", r"\1", value))
    return Settings()


def test_the_compose_file_is_as_its_specification_has_it() -> None:
    # As JSON, for it knows no merged keys (<<).
    assert set(PyCompose.from_json(json.dumps(compose())).service_names()) == AGENTS | OTHERS | {
        "api",
        "topics",
    }


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("restart:", "restrat:"), ("interval: 10s", "interval: often"), ("_healthy", "_well")],
)
def test_a_mistake_in_a_compose_file_is_noticed(right: str, wrong: str) -> None:
    broken = yaml.load(text("infra/docker-compose.yml").replace(right, wrong), yaml.CSafeLoader)
    with pytest.raises(ValueError, match=r"."):
        PyCompose.from_json(json.dumps(broken))


def test_compose_runs_every_agent_and_the_api() -> None:
    assert ours().keys() == AGENTS | {"api", "topics"}
    assert compose()["services"].keys() == ours().keys() | OTHERS
    for service in ours().values():
        assert is_command(service["command"])


@pytest.mark.parametrize("name", ours())
def test_a_service_has_settings_that_there_are(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    service = ours()[name]
    variables = service["environment"] | {"VOKTER_SIGNING_KEY": KEY}
    assert settings(variables, monkeypatch).kafka == "kafka:9092"
    assert int(service["stop_grace_period"].rstrip("s")) > STOP_TIMEOUT_S
    assert {"read_only", "cap_drop", "security_opt"} <= service.keys()


def test_a_service_waits_only_for_those_with_a_health_check() -> None:
    services = compose()["services"]
    for service in services.values():
        for other, condition in service.get("depends_on", {}).items():
            well = condition["condition"] == "service_healthy"
            assert "healthcheck" in services[other]
            assert well == (other not in ours())


def test_volumes_of_compose_are_declared_and_files_are_there() -> None:
    used = {
        volume.partition(":")[0]
        for service in compose()["services"].values()
        for volume in service.get("volumes", ())
    }
    named = {name for name in used if name[0] not in "./"}
    assert named == compose()["volumes"].keys()
    assert named >= WITH_STATE, "an agent with tables keeps them"
    for path in (name for name in used if name.startswith(".")):
        assert (INFRA / path).is_dir()


def test_prometheus_asks_every_service_of_compose() -> None:
    (job,) = yaml.load(text("infra/prometheus/prometheus.yml"), yaml.CSafeLoader)["scrape_configs"]
    (names,) = job["dns_sd_configs"]
    assert set(names["names"]) == AGENTS | {"api"}
    assert f"VOKTER_METRICS=0.0.0.0:{names['port']}" in text("infra/Dockerfile")


def docker_compose() -> list[str] | None:
    """Docker Compose, as a part of docker or a separate program."""
    for command in (["docker", "compose"], ["docker-compose"]):
        if shutil.which(command[0]) is not None:
            version = subprocess.run([*command, "version"], capture_output=True, check=False)
            if version.returncode == 0:
                return command
    return None


def test_docker_takes_the_compose_file(monkeypatch: pytest.MonkeyPatch) -> None:
    command = docker_compose()
    if command is None:
        pytest.skip("there is no docker compose here")
    file = ["-f", str(INFRA / "docker-compose.yml"), "--profile", "registry"]
    monkeypatch.setenv("VOKTER_SIGNING_KEY", KEY)
    subprocess.run([*command, *file, "config", "--quiet"], check=True)
    monkeypatch.delenv("VOKTER_SIGNING_KEY")
    without = subprocess.run([*command, *file, "config"], capture_output=True, check=False)
    assert without.returncode, "each deployment has its own key"


def test_the_image_is_made_of_what_there_is_and_runs_as_nobody_special() -> None:
    lines = text("infra/Dockerfile").splitlines()
    copies = [line for line in lines if line.startswith("COPY") and "--from" not in line]
    copied = [line.split()[1:-1] for line in copies]
    for source in (name for names in copied for name in names):
        assert (ROOT / source).exists(), source
    packages = tomllib.loads(text("pyproject.toml"))["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert all([package] in copied for package in packages["packages"])
    ignored = text("infra/Dockerfile.dockerignore").splitlines()
    allowed = {line[1:] for line in ignored if line.startswith("!")}
    assert {name.split("/")[0] for names in copied for name in names} == allowed
    users = [line.split()[1] for line in lines if line.startswith("USER")]
    assert [user for user in users if user != "0"] == ["10001", "10001", "10001"]
    assert users[-1] == "10001"
    assert lines[-1] == "FROM vokter"
    assert 'ENTRYPOINT ["tini", "--", "vokter"]' in lines


def test_the_image_keeps_nothing_that_only_builds_it() -> None:
    (removed,) = re.findall(
        r"pip uninstall --yes (.*) pip$", text("infra/Dockerfile"), re.MULTILINE
    )
    build, image = (
        set(re.findall(r"^([\w.-]+)==", text(f"requirements/{name}.lock"), re.MULTILINE))
        for name in ("build", "image")
    )
    assert set(removed.split()) <= build - image


def test_the_render_image_has_fonts_for_scripts_that_chromium_brings_none_for() -> None:
    (render,) = re.findall(
        r"^FROM vokter AS render$.*?^USER 10001$",
        text("infra/Dockerfile"),
        re.DOTALL | re.MULTILINE,
    )
    # Arabic, Hebrew, Devanagari and Thai are in core.
    fonts = {"fonts-noto-core", "fonts-noto-cjk", "fonts-noto-color-emoji"}
    assert fonts <= set(render.split())


def test_the_image_has_settings_that_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    worker, _, one = text("infra/Dockerfile").partition("FROM worker AS vokter")
    found = dict(re.findall(r"\b(VOKTER_\w+)=(\S+)", worker))
    assert found.pop("VOKTER_CACHE") == "/opt/kafka"
    made = settings(found, monkeypatch)
    assert (made.data_dir, made.log_format) == (Path("/data"), "json")
    more = dict(re.findall(r"\b(VOKTER_\w+)=(\S+)", one))
    assert more.pop("VOKTER_CACHE") == "/opt/kafka"
    assert settings(more, monkeypatch).host == "0.0.0.0"  # noqa: S104  # a container's own


def test_the_image_of_one_machine_runs_a_command_that_there_is() -> None:
    _, _, one = text("infra/Dockerfile").partition("FROM worker AS vokter")
    (words,) = re.findall(r"^CMD (\[.*\])$", one, re.MULTILINE)
    result = CliRunner().invoke(cli, [*json.loads(words), "--help"])
    assert result.exit_code == 0, result.output
    assert f":{Settings().port}/vokter/v1/health" in one


@pytest.mark.parametrize(
    "manifest",
    [m for m in manifests() if "." not in m["apiVersion"].partition("/")[0]],
    ids=lambda m: f"{m['kind']} {m['metadata']['name']}",
)
def test_a_manifest_is_what_kubernetes_takes(manifest: dict[str, Any]) -> None:
    kubernetes_validate.validate(manifest, VERSION, strict=True)


def test_a_manifest_with_an_unknown_field_is_refused() -> None:
    broken = of_kind("Deployment")["fetch"] | {"spect": {}}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(broken, VERSION, strict=True)


def test_every_agent_is_one_workload_and_those_with_tables_keep_their_volumes() -> None:
    assert of_kind("StatefulSet").keys() == WITH_STATE
    assert of_kind("Deployment").keys() == AGENTS - WITH_STATE | {"api"}
    assert of_kind("Job").keys() == {"topics"}
    for manifest in of_kind("StatefulSet").values():
        (claim,) = manifest["spec"]["volumeClaimTemplates"]
        assert claim["metadata"]["name"] == "data"
        assert of_kind("Service").keys() >= {manifest["spec"]["serviceName"]}


@pytest.mark.parametrize("name", pods())
def test_a_pod_runs_a_command_that_there_is_as_nobody_special(name: str) -> None:
    pod, only = pods()[name], container(name)
    assert is_command(only["args"])
    assert only["args"] == (["worker", name] if name in AGENTS else only["args"])
    assert pod["securityContext"]["runAsUser"] == 10001
    assert only["securityContext"]["readOnlyRootFilesystem"]
    mounted = {mount["name"] for mount in only["volumeMounts"]}
    claimed = {"data"} if name in WITH_STATE else set()
    assert mounted == {volume["name"] for volume in pod["volumes"]} | claimed


@pytest.mark.parametrize("name", sorted(AGENTS | {"api"}))
def test_a_pod_is_probed_and_has_time_to_stop(name: str) -> None:
    pod, only = pods()[name], container(name)
    assert pod["terminationGracePeriodSeconds"] > STOP_TIMEOUT_S
    paths = {kind: only[kind]["httpGet"]["path"] for kind in only if kind.endswith("Probe")}
    assert paths == {
        "startupProbe": "/metrics",
        "readinessProbe": "/health",
        "livenessProbe": "/metrics",
    }
    ports = {port["name"]: port["containerPort"] for port in only["ports"]}
    assert of_kind("ConfigMap")["vokter"]["data"]["VOKTER_METRICS"].endswith(f":{ports['metrics']}")
    assert name in of_kind("PodDisruptionBudget")


NEED_STORE = {"fetch", "render", "deliver", "history", "record", "api"}
NEED_KEY = {"deliver", "api"}


def test_only_who_needs_a_secret_has_it() -> None:
    for name, service in ours().items():
        assert ("VOKTER_STORE" in service["environment"]) == (name in NEED_STORE)
        assert ("VOKTER_SIGNING_KEY" in service["environment"]) == (name in NEED_KEY)
    for name in pods():
        secrets = {each["secretRef"]["name"] for each in container(name)["envFrom"][1:]}
        assert f"vokter-kafka-{name}" in secrets
        assert ("vokter-store" in secrets) == (name in NEED_STORE)
        assert ("vokter-signing-key" in secrets) == (name in NEED_KEY)


def chosen(policy: dict[str, Any]) -> set[str]:
    """Return those of our pods that a policy is about."""
    selector = policy["spec"]["podSelector"]
    labels = selector.get("matchLabels", {})
    if "app.kubernetes.io/component" in labels:
        return {labels["app.kubernetes.io/component"]}
    for each in selector.get("matchExpressions", ()):
        return set(each["values"])
    return set(pods())


def test_only_who_meets_strangers_addresses_reaches_the_internet_and_nothing_private() -> None:
    policies = of_kind("NetworkPolicy")
    assert policies["nothing-else"]["spec"] == {
        "podSelector": {},
        "policyTypes": ["Ingress", "Egress"],
    }
    assert chosen(policies["web"]) == {"fetch", "render", "judge", "deliver", "api"}
    assert chosen(policies["store"]) == NEED_STORE
    assert chosen(policies["kafka-and-names"]) == set(pods())
    assert chosen(policies["api"]) == {"api"}
    open_to = [ip_network(b["ipBlock"]["cidr"]) for b in policies["web"]["spec"]["egress"][0]["to"]]
    closed = [
        ip_network(each)
        for block in policies["web"]["spec"]["egress"][0]["to"]
        for each in block["ipBlock"]["except"]
    ]
    assert {net.version for net in open_to} == {4, 6}
    for address in ("10.1.2.3", "127.0.0.1", "169.254.169.254", "192.168.0.1", "fd00::1"):
        assert any(ip_address(address) in net for net in closed), address


def test_nobody_can_log_in_to_grafana_with_a_password_that_everybody_knows() -> None:
    environment = compose()["services"]["grafana"]["environment"]
    assert environment["GF_SECURITY_DISABLE_INITIAL_ADMIN_CREATION"] == "true"
    assert environment["GF_AUTH_BASIC_ENABLED"] == "false"


def test_the_settings_of_kubernetes_are_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    more = {each["name"]: each["value"] for each in container("api")["env"]}
    made = settings(of_kind("ConfigMap")["vokter"]["data"] | more, monkeypatch)
    assert made.keys_file == Path("/keys/api-keys.json")


def test_what_selects_pods_selects_those_that_there_are() -> None:
    labels = {
        name: each["spec"]["template"]["metadata"]["labels"]
        for name, each in of_kind("Deployment", "StatefulSet").items()
    }
    for each in manifests():
        if each["kind"] in ("Deployment", "StatefulSet", "PodDisruptionBudget"):
            assert each["spec"]["selector"]["matchLabels"] == labels[each["metadata"]["name"]]
        if each["kind"] == "Service":
            assert each["spec"]["selector"] == labels[each["metadata"]["name"]]


def test_kustomize_takes_the_manifests() -> None:
    kubectl = shutil.which("kubectl")
    if kubectl is None:
        pytest.skip("there is no kubectl here")
    made = subprocess.run([kubectl, "kustomize", KUBERNETES], capture_output=True, check=True)
    kinds = [each["kind"] for each in yaml.load_all(made.stdout, yaml.CSafeLoader)]
    assert sorted(kinds) == sorted(each["kind"] for each in manifests())


def test_autoscaling_looks_at_groups_and_topics_that_there_are() -> None:
    partitions = int(of_kind("ConfigMap")["vokter"]["data"]["VOKTER_PARTITIONS"])
    kafka = of_kind("ConfigMap")["vokter"]["data"]["VOKTER_KAFKA"]
    prefix = Settings().topic_prefix
    reads = {n: {prefix + t.name for t in w.reads} for n, w in app.AGENTS.items()}
    for name, scaled in of_kind("ScaledObject").items():
        spec = scaled["spec"]
        (trigger,) = spec["triggers"]
        known = trigger["metadata"]
        assert spec["scaleTargetRef"]["name"] == name
        assert name in of_kind(spec["scaleTargetRef"]["kind"])
        assert known["consumerGroup"] == group_id(prefix, name)
        assert known["topic"] in reads[name]
        assert known["bootstrapServers"] == kafka
        assert spec["minReplicaCount"] <= spec["maxReplicaCount"] <= partitions


def test_the_chart_is_of_this_release_and_of_all_processes() -> None:
    version = tomllib.loads(text("pyproject.toml"))["project"]["version"]
    assert chart("Chart")["version"] == chart("Chart")["appVersion"] == version
    processes = AGENTS | {"api"}
    assert chart("processes").keys() == chart("values")["processes"].keys() == processes
    # Of those that a worker of the agent needs.
    stores = {name for name, agent in app.AGENTS.items() if agent.has_store}
    reaching = {n for n, fact in chart("processes").items() if "store" in fact.get("reaches", ())}
    assert stores <= reaching


@pytest.mark.parametrize("name", sorted(AGENTS | {"api"}))
def test_the_manifests_have_the_values_of_the_chart(name: str) -> None:
    own = chart("values")["processes"][name]
    image = chart("values")[chart("processes")[name].get("image", "image")]
    only = container(name)
    assert only["image"] == f"{image}:{chart('Chart')['appVersion']}"
    assert only["resources"] == {
        "requests": {"cpu": own["cpu"], "memory": own["memory"]},
        "limits": {"memory": own["limit"]},
    }
    workload = of_kind("Deployment", "StatefulSet")[name]
    assert workload["spec"]["replicas"] == own["replicas"]
    assert (name in of_kind("ScaledObject")) == ("most" in own)


def test_the_manifests_are_the_chart_as_helm_renders_it(tmp_path: Path) -> None:
    if shutil.which("helm") is None:
        pytest.skip("there is no Helm here: the workflow has it")
    before = {path: path.read_text("utf-8") for path in KUBERNETES.glob("*.yaml")}
    shutil.copytree(ROOT / "infra", tmp_path / "infra")
    made = ["make", "-f", str(ROOT / "Makefile"), "manifests"]
    subprocess.run(made, cwd=tmp_path, check=True, capture_output=True)
    for path, rendered in before.items():
        assert (tmp_path / path.relative_to(ROOT)).read_text("utf-8") == rendered, path


def test_all_manifests_are_applied() -> None:
    applied = yaml.load(KUSTOMIZATION.read_text("utf-8"), yaml.CSafeLoader)["resources"]
    there = {file.name for file in KUBERNETES.glob("*.yaml")}
    assert {*applied, KUSTOMIZATION.name} == there
