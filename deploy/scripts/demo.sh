#!/usr/bin/env bash
# The main job on embedded defaults: one real analysis, then its plan, its artifacts and how they were made.
set -euo pipefail
cd "$(dirname "$0")/../.."
scid() { node deploy/local/bin/scid.js "$@"; }
export SCIENCE_DISCOVERY_DATA_DIR=${SCIENCE_DISCOVERY_DATA_DIR:-$PWD/data}
if [ -n "${OPENAI_API_KEY:-}" ]; then model=openai:${SCIENCE_AGENT_OPENAI_MODEL:-gpt-5}
elif [ -n "${ANTHROPIC_API_KEY:-}" ]; then model=anthropic:${SCIENCE_AGENT_ANTHROPIC_MODEL:-claude-sonnet-4-5}
else model=scripted:deploy/demo/script.json; fi
printf 'model: %s\ndata:  %s\n\n' "$model" "$SCIENCE_DISCOVERY_DATA_DIR"

scid up & stack=$!
trap 'kill $stack 2>/dev/null; wait $stack 2>/dev/null || true' EXIT
events=$(mktemp); trap 'kill $stack 2>/dev/null; wait $stack 2>/dev/null || true; rm -f "$events"' EXIT

scid run "$(cat deploy/demo/task.txt)" --model "$model" --approve always --input deploy/demo/ls_orchid.gbk.gz=data/ls_orchid.gbk.gz
run=$(scid runs --json | node -e 'let s="";process.stdin.on("data",c=>s+=c).on("end",()=>console.log(JSON.parse(s).runs[0].runId))')

printf '\n== The plan ==\n';                scid plan "$run"
printf '\n== The artifacts ==\n';           scid artifacts
printf '\n== How the figure was made ==\n'; scid provenance results/orchids.svg
mkdir -p "$SCIENCE_DISCOVERY_DATA_DIR/demo"
scid artifacts get results/orchids.svg -o "$SCIENCE_DISCOVERY_DATA_DIR/demo/orchids.svg"
scid artifacts get results/orchids.csv -o "$SCIENCE_DISCOVERY_DATA_DIR/demo/orchids.csv"
printf '\nThe figure and the table are in %s\n' "$SCIENCE_DISCOVERY_DATA_DIR/demo"
