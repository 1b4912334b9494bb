#!/usr/bin/env bash
# Generates libs/proto-gen/src when a contract is newer than what was generated.
set -euo pipefail
cd "$(dirname "$0")/../../proto"
out=../libs/proto-gen/src
if [ -d $out ] && [ -z "$(find . -newer $out/.generated \( -name '*.proto' -o -name 'buf*.yaml' \) -print -quit 2>/dev/null || echo new)" ] && [ -f $out/.generated ]; then exit 0; fi
../node_modules/.bin/buf generate
touch $out/.generated
