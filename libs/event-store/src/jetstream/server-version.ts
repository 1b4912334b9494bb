import { PlatformError } from '@sciencediscovery/kernel'

/** Refuses a server on which acknowledged commits could be lost or two writers could both win. */
export function refuseOldServer(version: string, hasJetStream: boolean): void {
  if (!isAtLeast(version, 2, 10)) {
    throw new PlatformError('unavailable', `nats-server ${version} is too old: 2.10 is needed`, {
      reason: 'nats_server_too_old',
      remedy:
        'older servers cannot sync before they acknowledge, and let two racing writers both win on three replicas; ' +
        'run 2.10 or newer, 2.12 recommended (deploy/scripts/fetch-nats-server.sh gets one)',
    })
  }
  if (!hasJetStream) {
    throw new PlatformError('unavailable', 'the nats-server runs without JetStream', {
      reason: 'jetstream_off',
      remedy: 'add a jetstream block with store_dir and sync_interval: always to its configuration',
    })
  }
}

/** Whether `2.10.27-beta.1` and the like are at least the version. */
export function isAtLeast(version: string, major: number, minor: number): boolean {
  const [, foundMajor, foundMinor] = /^v?(\d+)\.(\d+)/.exec(version) ?? []
  if (foundMajor === undefined || foundMinor === undefined) return false
  return Number(foundMajor) > major || (Number(foundMajor) === major && Number(foundMinor) >= minor)
}
