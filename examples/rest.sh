#!/bin/sh
# Subscribe, list and cancel by REST: sh examples/rest.sh DOCUMENT WEBHOOK
# API is the URL of the API, KEY an API key if the deployment has any.
set -eu
api=${API:-http://127.0.0.1:9000/vokter/v1}
document=$1 webhook=$2

call() {
    curl -sS ${KEY:+-H "Authorization: Bearer $KEY"} "$@"
    echo
}

# The answer contains the secret that signs the notifications to this webhook.
call -X POST "$api/subscribe" -H "Idempotency-Key: example-$$" -d '{
  "documentUrl": "'"$document"'",
  "clientUrl": "'"$webhook"'",
  "keywords": ["argus panoptes", "greek"],
  "enableStemming": true,
  "ignoreCase": true,
  "interval": 900
}'

call "$api/subscriptions?limit=10"

call -X POST "$api/cancel" -d '{
  "documentUrl": "'"$document"'",
  "clientUrl": "'"$webhook"'"
}'

call "$api/health"
