#!/usr/bin/env bash
# Runs the named tiers one after the other and closes with one line of totals.
set -uo pipefail
cd "$(dirname "$0")/../.."
reports=$(mktemp -d)
trap 'rm -rf "$reports"' EXIT
status=0
for tier in "$@"; do
  printf '— %s\n' "$tier" >&2
  npx vitest run --project "$tier" --reporter=default --reporter=json --outputFile.json="$reports/$tier.json" --passWithNoTests || status=1
done
node deploy/scripts/totals.mjs "$reports" || status=1
exit $status
