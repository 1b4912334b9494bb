/**
 * Starting a process from a large Node process copies its page tables, and limits set per start cost an
 * exec each. So every cell has a small shell that waits, limited once and under its own uid, and forks
 * bubblewrap for each line it reads. It dies with the runner, and with it everything below.
 *
 * $1 bubblewrap. Each start reads `argv` and `args` (NUL-separated); descriptor 5 tells the namespace's
 * first process and the exit code, then the shell says that the outer process is gone.
 */
export const launcherScript = `
echo ready
while IFS= read -r line; do
  mapfile -d '' -t argv < argv
  "$1" --args 3 --seccomp 4 --json-status-fd 5 -- "\${argv[@]}" 3< args 4< filter 5>&1 < /dev/null > out 2> err
  echo "gone $?"
done
`

/**
 * Runs as the runner, before the credentials go down. Descriptors that the runner itself inherited must
 * not reach a sandbox. The output pipes belong to the cell's uid, so that /dev/stdout can be opened again.
 */
export const preludeScript = `
set -e
for path in /proc/self/fd/*; do
  fd="\${path##*/}"
  [ "$fd" -le 2 ] || eval "exec $fd>&-"
done
rm -f out err
mkfifo -m 0600 out err
[ -z "$1" ] || chown "$1:$1" out err
shift
exec "$@"
`
