#!/usr/bin/env bash
# Cheapest first, so that a slip is told early.
set -euo pipefail
cd "$(dirname "$0")/../.."
step() { printf '— %s\n' "$*" >&2; }
step contracts; npx buf lint proto
if git rev-parse --verify -q origin/main >/dev/null; then npx buf breaking proto --against ".git#branch=origin/main,subdir=proto"; fi
step format; npx prettier --check --log-level warn .
step boundaries; npx depcruise --config .dependency-cruiser.cjs --output-type err libs services deploy/local/src test >/dev/null || npx depcruise --config .dependency-cruiser.cjs --output-type err libs services deploy/local/src test
step types; npx tsc -p tsconfig.json
step lint; npx eslint --cache --cache-location node_modules/.cache/eslint .
