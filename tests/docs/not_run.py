"""Commands of the documentation that no test runs as written, by their beginning, and why."""

import re

NOT_RUN = {
    "make setup": "it downloads; the tests run in the environment it created",
    "make demo": "tests/broker/test_demo.py runs `vokter demo`",
    ".venv/bin/python -m pytest -q tests/diff tests/text": "these are tests",
    "make check": "`make test` runs it",
    "make test": "it runs the tests, including this one",
    "make test FAST=1": "it runs a part of the tests, including this folder's neighbours",
    "make test-all": "it runs the tests, including this one",
    "make test-pythons": "it runs all tests three times",
    "make chaos": "it takes 4 minutes; tests/chaos/test_chaos.py is a small run",
    "make soak": "it takes 70 minutes; tests/bench/test_soak.py tests its verdicts",
    "make schemas": "it writes files; tests/schemas/test_schemas.py compares them",
    "make docs": "it downloads; tests/docs/test_site.py builds the site if MkDocs is installed",
    "vokter subscribe https://example.org/docs/ deprecated": "it would crawl a site of others; "
    "tests/broker/test_crawl.py crawls",
    "vokter pages 35ae0db7": "as the subscription before it",
    "vokter repartition": "it changes a deployment that others share; "
    "tests/broker/test_repartition.py does so",
    "export": "it configures the reader's shell",
    "vokter up": "it starts a broker and all processes; tests/broker/test_up.py does so",
    "VOKTER_ALLOW_PRIVATE=127.0.0.0/8 VOKTER_MIN_INTERVAL=1 vokter up": "as `vokter up`",
    "VOKTER_MODEL_URL=http://127.0.0.1:11434/v1 VOKTER_MODEL=llama3.1 vokter up": "as `vokter up`",
    "vokter backtest https://example.org/jobs engineer --rule": "it needs a model; "
    "tests/agents/history/test_backtest_judge.py asks one",
    "vokter watch https://example.org/jobs engineer --rule": "it needs a model; as by REST in "
    "tests/broker/test_judge.py",
    "vokter dead-letters replay 3:42": "it asks first; tests/broker/test_dead_letters.py answers",
    "vokter credentials set intranet --for https://intranet.example.com --basic jo": "it asks for "
    "a password; tests/broker/test_credentials.py answers",
    "vokter credentials set shop --for https://shop.example.com --secret user --secret password": (
        "it asks for secrets; tests/cli/credentials/test_asking.py answers"
    ),
    "vokter credentials set team --channel": "it asks for an address; "
    "tests/cli/credentials/test_asking.py answers",
    "vokter subscribe https://example.org/giants argus --to channel:team": "as by REST in "
    "tests/broker/test_channels.py",
    'vokter subscribe https://example.org/tickets "sold out" --to channel:team': "as by REST in "
    "tests/broker/test_patience.py",
    "vokter backtest https://example.org/giants argus --archive": (
        "it needs archives; tests/effects/test_archives.py reads some"
    ),
    "vokter picture": "it needs a page in a browser; tests/broker/test_render.py runs it",
    "vokter try https://shop.example/mixer --number": "it needs a shop; "
    "tests/cli/jobs/test_trying.py tries a page of ours",
    "vokter subscribe https://shop.example/mixer --stock": "it needs a shop; "
    "tests/connectors/readers/test_stock.py reads what some state",
    "vokter subscribe https://shop.example/mixer --number --below 1000": "as by REST in "
    "tests/broker/test_each_view.py",
    "connect-standalone.sh": "tests/registry/test_connect.py runs its class with these files",
    "chromium": "tests/connectors/browser/test_remote.py starts one with these flags",
    "vokter backup": "it saves the reader's own; tests/broker/test_backup.py saves another",
    "vokter restore": "as the backup before it",
    "vokter search": "tests/broker/test_each_view.py searches for other words",
    "vokter reprocess": "it needs kept pages; tests/broker/test_reprocess.py keeps some",
    "vokter subscribe 'pages:*'": "as by REST in tests/broker/test_percolate.py",
    "vokter worker": "all tests in tests/broker run on these processes",
    "python -m pip install": "it downloads",
    "docker": "it needs Docker; tests/infra/test_deployment.py reads the Dockerfile",
    "helm": "it needs a cluster; tests/infra/test_deployment.py renders the chart where helm is",
    "kubectl": "it needs a cluster; tests/infra/test_deployment.py reads the manifests",
}


def is_run(command: str) -> bool:
    """Return whether a test has to run a command."""
    begins = (rf"{re.escape(beginning)}(?![\w-])" for beginning in NOT_RUN)
    return not any(re.match(pattern, command) for pattern in begins)
