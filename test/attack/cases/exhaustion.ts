import { type AttackCase, type Evidence, mark } from '../attack-case.js'

const MiB = 1024 * 1024

const flood = (
  name: string,
  script: string,
  wentThrough?: (evidence: Evidence) => boolean,
  timeoutMs = 20_000,
): AttackCase => ({
  name,
  steps: () => [{ script, timeoutMs }],
  ...(wentThrough && { wentThrough }),
})

/** X8: more than a command's share of the machine, and what outlives it. The wall is set to 64 MiB, 32 processes, 32 MiB of files. */
export const exhaustion: readonly AttackCase[] = [
  flood(
    'X8 processes without end',
    `n=0; for i in $(seq 1 200); do (sleep 30) & n=$((n+1)); done 2>/dev/null; sleep 0.2; set -- /proc/[0-9]*; [ $# -gt 100 ] && echo ${mark}; kill $(jobs -p); true`,
  ),
  flood(
    'X8 memory',
    `head -c ${256 * MiB} /dev/zero | tail -c ${256 * MiB} >/dev/null && echo ${mark}`,
  ),
  flood('X8 one large file', `head -c ${128 * MiB} /dev/zero > big && echo ${mark}`),
  flood(
    'X8 many files in the workspace',
    `for i in $(seq 1 40); do head -c ${4 * MiB} /dev/zero > f$i || break; done; sleep 2; true`,
    ({ workspaceBytes }) => workspaceBytes > 96 * MiB,
  ),
  flood(
    'X8 the temporary directory',
    `head -c ${1400 * MiB} /dev/zero > /tmp/fill 2>/dev/null && echo ${mark}; rm -f /tmp/fill`,
  ),
  flood('X8 output without end', `yes | head -c ${64 * MiB}`, ({ results }) =>
    results.some(({ stdout }) => stdout.length > 4 * MiB),
  ),
  flood(
    'X8 a daemon outlives its command',
    'setsid nohup sleep 86311 >/dev/null 2>&1 & echo started',
    ({ commandLines }) => commandLines.includes('86311'),
  ),
  flood(
    'X8 a process that hears no signal outlives its time',
    'trap "" TERM INT HUP; (trap "" TERM INT HUP; sleep 86312) & sleep 86313',
    ({ commandLines, tookMs }) => /8631[23]/.test(commandLines) || tookMs > 15_000,
    2_000,
  ),
  flood(
    'X8 a pipe that a child holds open keeps the answer back',
    '(sleep 86314) & echo started',
    ({ tookMs, commandLines }) => tookMs > 10_000 || commandLines.includes('86314'),
  ),
]
