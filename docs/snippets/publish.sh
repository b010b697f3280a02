#!/bin/sh
# Publish a pool from a file. DRA_URL and DRA_TOKEN come from the environment; the file is the first argument.
set -eu
curl --fail-with-body --silent --show-error \
	--header "Authorization: Bearer $DRA_TOKEN" \
	--header "Content-Type: application/yaml" \
	--data-binary "@$1" \
	"$DRA_URL/api/v1/publish/"
