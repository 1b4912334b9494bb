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
# With types a linter holds whole programs in memory: a part at a time takes 2 GiB, all at once more than Node gives.
for part in libs 'services/agent-orchestrator services/artifact-store' 'services/execution-runner services/tool-gateway services/console' 'test deploy'; do
  step "lint $part"
  # shellcheck disable=SC2086
  npx eslint --cache --cache-location "node_modules/.cache/eslint-${part//[^a-z]/-}" $part
done
