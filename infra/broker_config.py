"""The configuration of the local broker: Kafka, Log4j and the JVM.

The broker runs in its data folder and all paths are relative, so no path needs escaping.
"""

HOST = "127.0.0.1"
LOG = "broker.log"
LOG_PROPERTIES = "log4j2.properties"
SERVER_PROPERTIES = "server.properties"
STORAGE = "kafka"
META = f"{STORAGE}/meta.properties"
"""Kafka's note of the cluster of the storage."""

# A small heap, and fast start-up rather than peak speed: half the time, half of the memory. At
# rest 40 MB are alive: a young generation that grows with the heap would take as much again.
JVM_OPTIONS = (
    "-Xms64m",
    "-Xmn8m",
    "-Xmx512m",
    "-XX:MinHeapFreeRatio=10",
    "-XX:MaxHeapFreeRatio=30",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-XX:+ExitOnOutOfMemoryError",
    "-XX:-UsePerfData",  # written 20 times a second, for jstat
    f"-Dlog4j2.configurationFile={LOG_PROPERTIES}",
)

LOG_CONFIG = f"""\
status=error
appender.file.type=RollingFile
appender.file.name=file
appender.file.fileName={LOG}
appender.file.filePattern={LOG}.%i
appender.file.layout.type=PatternLayout
appender.file.layout.pattern=%d %p %m (%c)%n
appender.file.policies.type=Policies
appender.file.policies.size.type=SizeBasedTriggeringPolicy
appender.file.policies.size.size=10MB
appender.file.strategy.type=DefaultRolloverStrategy
appender.file.strategy.max=3
rootLogger.level=info
rootLogger.appenderRef.file.ref=file
"""


def server_config(port: int, controller_port: int) -> str:
    """Return server.properties for a node as broker and controller, on loopback."""
    largest = 17 * 1024 * 1024  # topics allow 16 MB; the rest is for the framing of a batch
    idle = 0  # ms; else empty records are written twice a second, for nodes that are not there
    session = 4000  # ms; after a kill, a start waits for the dead broker's registration to expire
    network, requests, groups = 1, 2, 1  # threads, of which each wakes up at rest, too
    # Behind an open transaction no message of a partition is read. Less than clients ask for by
    # default would refuse them.
    longest = 60_000  # ms
    dedupe = 4 * 1024 * 1024  # bytes that are always taken; 150,000 keys in one pass of the cleaner
    return f"""\
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@{HOST}:{controller_port}
listeners=PLAINTEXT://{HOST}:{port},CONTROLLER://{HOST}:{controller_port}
advertised.listeners=PLAINTEXT://{HOST}:{port}
controller.listener.names=CONTROLLER
log.dirs={STORAGE}
auto.create.topics.enable=false
message.max.bytes={largest}
replica.fetch.max.bytes={largest}
group.initial.rebalance.delay.ms=0
offsets.topic.num.partitions=8
offsets.topic.replication.factor=1
transaction.state.log.num.partitions=2
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.max.timeout.ms={longest}
share.coordinator.state.topic.num.partitions=2
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
num.network.threads={network}
num.io.threads={requests}
group.coordinator.threads={groups}
broker.session.timeout.ms={session}
broker.heartbeat.interval.ms=1000
metadata.max.idle.interval.ms={idle}
log.cleaner.dedupe.buffer.size={dedupe}
"""
