#!/usr/bin/env bash
# Puts a nats-server >= 2.10 into <repo>/.tools/nats-server and prints its path.
#
# Debian 12 ships 2.9.10, which cannot sync before it acknowledges. Newer Debian suites carry newer
# servers that run on Debian 12, so one is taken from there without touching the system: an apt
# source list and its state live in a private folder. A server >= 2.10 on PATH wins.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
target="$root/.tools/nats-server"
lowest='2.10.0'

new_enough() {
  local version
  version="$("$1" --version 2>/dev/null | sed -n 's/.*v\([0-9][0-9.]*\).*/\1/p')" || return 1
  [ -n "$version" ] && [ "$(printf '%s\n%s\n' "$lowest" "$version" | sort -V | head -n 1)" = "$lowest" ]
}

give_up() {
  echo "fetch-nats-server: $1" >&2
  echo "Install nats-server >= $lowest yourself (https://nats.io/download) and put it on PATH." >&2
  exit 1
}

if on_path="$(command -v nats-server)" && new_enough "$on_path"; then
  echo "$on_path"
  exit 0
fi
if [ -x "$target" ] && new_enough "$target"; then
  echo "$target"
  exit 0
fi
for tool in apt-get dpkg-deb flock; do
  command -v "$tool" >/dev/null || give_up "$tool is missing, so the package cannot be fetched here."
done

mkdir -p "$root/.tools"
exec 9>"$root/.tools/fetch-nats-server.lock"
flock 9
if [ -x "$target" ] && new_enough "$target"; then
  echo "$target"
  exit 0
fi

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
archive="$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null | grep -v security | head -n 1 || true)"
archive="${archive:-http://deb.debian.org/debian/}"
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

fetch_from() {
  local suite="$1" folder="$work/$1"
  mkdir -p "$folder/lists/partial" "$folder/archives/partial"
  echo "deb [signed-by=$keyring] $archive $suite main" >"$folder/sources.list"
  local options=(
    -o "Dir::Etc::sourcelist=$folder/sources.list" -o 'Dir::Etc::sourceparts=-'
    -o "Dir::State::lists=$folder/lists" -o "Dir::Cache=$folder"
    -o 'APT::Get::List-Cleanup=0' -o 'Acquire::Languages=none' -o 'APT::Sandbox::User=root'
  )
  apt-get "${options[@]}" update >"$folder/log" 2>&1 &&
    (cd "$folder" && apt-get "${options[@]}" download nats-server >>log 2>&1) &&
    dpkg-deb -x "$folder"/nats-server_*.deb "$folder/root" 2>>"$folder/log" &&
    new_enough "$folder/root/usr/sbin/nats-server"
}

for suite in sid trixie; do
  if fetch_from "$suite"; then
    mv -f "$work/$suite/root/usr/sbin/nats-server" "$target.new"
    mv -f "$target.new" "$target"
    echo "$target"
    exit 0
  fi
  tail -n 3 "$work/$suite/log" >&2 || true
done
give_up "no Debian suite at $archive gave a server >= $lowest."
