"""The commands of the manual that no test runs as they stand there, by how they begin, and why."""

import re

NOT_RUN = {
    "make setup": "it downloads; the tests run in what it has made",
    "make demo": "tests/broker/test_demo.py runs the `vokter demo` that it starts",
    "make schemas": "it writes files of the project; tests/schemas compares them with the code",
    "make check": "`make test` begins with it",
    "make test": "it runs the tests, this one among them",
    "make test-all": "it runs the tests, this one among them",
    "make test-registry": "it downloads 158 MB",
    "make chaos": "it takes 4 minutes; tests/chaos/test_chaos.py is a small one",
    "make schemas": "it writes into schemas/avro; tests/schemas/test_schemas.py compares what it would write",
    "make audit": "it asks a service for known faults",
    "make docs": "it downloads; tests/docs/test_site.py builds the site where MkDocs is installed",
    "make fuzz": "it takes minutes; tests/connectors/api/test_openapi.py makes fewer calls",
    "make bench": "it takes 25 minutes and downloads what it measures beside",
    "make bench-text": "it takes minutes and downloads what it measures beside",
    "export": "it sets up the reader's shell",
    "vokter up": "it starts a broker and all else; tests/broker/test_up.py does so",
    "VOKTER_ALLOW_PRIVATE=127.0.0.0/8 VOKTER_MIN_INTERVAL=1 vokter up": "as `vokter up`",
    "vokter dead-letters replay 3:42": "it asks back; tests/broker/test_dead_letters.py does so",
    "vokter worker": "all tests of tests/broker have deployments of these processes",
    "python -m pip install": "it downloads",
    "docker compose": "it needs Docker; tests/infra/test_deployment.py reads the file",
    "kubectl": "it needs a cluster; tests/infra/test_deployment.py reads the manifests",
}


def is_run(command: str) -> bool:
    """Whether a test has to run it."""
    begins = (rf"{re.escape(beginning)}(?![\w-])" for beginning in NOT_RUN)
    return not any(re.match(pattern, command) for pattern in begins)
