#!/bin/sh
# Subscribe, or cancel, through Kafka in JSON: sh examples/produce.sh DOCUMENT SESSION [cancel]
# Needs kcat. A request without a key, on any partition, is forwarded to the right partition.
set -eu
brokers=${VOKTER_KAFKA:-127.0.0.1:9092}
topic=${VOKTER_TOPIC_PREFIX:-vokter.}subscription-requests
document=$1 session=$2 action=${3:-subscribe}

# One line, because kcat sends each line as a message.
printf '%s\n' '{"action": "'"$action"'", "documentUrl": "'"$document"'", "session": "'"$session"'", "keywords": ["argus"], "ignoreCase": true, "interval": 900, "requestId": "example-'"$$"'"}' |
    kcat -P -b "$brokers" -t "$topic"
echo "produced; the answer to example-$$ is on ${VOKTER_TOPIC_PREFIX:-vokter.}subscriptions"
