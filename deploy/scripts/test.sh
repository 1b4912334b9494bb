#!/usr/bin/env bash
# Runs the named tiers one after the other and closes with one line of totals.
set -uo pipefail
cd "$(dirname "$0")/../.."
reports=$(mktemp -d)
trap 'rm -rf "$reports"' EXIT
status=0
for tier in "$@"; do
  printf '— %s\n' "$tier" >&2
  # Chaos brings up many processes and measures how soon runs move on: one file at a time.
  parallel=(); [[ $tier != chaos && $tier != attack ]] || parallel=(--no-file-parallelism)
  npx vitest run --project "$tier" "${parallel[@]}" --reporter=default --reporter=json --outputFile.json="$reports/$tier.json" --passWithNoTests || status=1
done
node deploy/scripts/totals.mjs "$reports" || status=1
exit $status
