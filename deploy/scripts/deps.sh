#!/usr/bin/env bash
# Installs what is missing, and only that. Says clearly what to do when it may not.
set -euo pipefail
cd "$(dirname "$0")/../.."
what=${1:-run}

say() { printf '%s\n' "$*" >&2; }

[ "$(uname -s)" = Linux ] || { say "the local stack needs Linux (its sandbox is bubblewrap). Elsewhere, use a stack on a Linux host: scid --server HOST:PORT"; exit 1; }
command -v node >/dev/null || { say "node is missing: install Node.js 20.19 or later"; exit 1; }

# A marker beats a timestamp: npm ci rewrites node_modules as a whole.
want=$(sha256sum package-lock.json | cut -d' ' -f1)
if [ ! -f node_modules/.installed ] || [ "$(cat node_modules/.installed)" != "$want" ]; then
  say "installing npm packages"
  npm ci --no-audit --no-fund --loglevel=error >&2
  printf '%s' "$want" > node_modules/.installed
fi

missing=()
need() { # program, or path; package
  if [[ $1 == /* ]]; then compgen -G "$1" >/dev/null || missing+=("$2"); else command -v "$1" >/dev/null || missing+=("$2"); fi
}
need bwrap bubblewrap
need rg ripgrep
need python3 python3
need flock util-linux
need prlimit util-linux
dpkg -s python3-venv >/dev/null 2>&1 || missing+=(python3-venv)
if [ "$what" = test ]; then
  need '/usr/lib/postgresql/*/bin/initdb' postgresql
  need strace strace
  # A scenario of the tests is written in R.
  need Rscript r-base-core
fi
if [ ${#missing[@]} -gt 0 ]; then
  list=$(printf '%s\n' "${missing[@]}" | sort -u | tr '\n' ' ')
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    say "these packages are missing: $list"
    say "install them as root (apt-get install -y $list) and run this again"
    exit 1
  fi
  say "installing $list"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq >&2
  # The tests start servers of their own; the package's cluster on 5432 is not wanted.
  mkdir -p /etc/postgresql-common
  [ -f /etc/postgresql-common/createcluster.conf ] || printf 'create_main_cluster = false\n' > /etc/postgresql-common/createcluster.conf
  # shellcheck disable=SC2086
  apt-get install -y -qq --no-install-recommends $list >&2
fi
[ "$what" != test ] || deploy/scripts/fetch-nats-server.sh >&2
