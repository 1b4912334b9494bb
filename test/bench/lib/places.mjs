import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const benchDirectory = join(dirname(fileURLToPath(import.meta.url)), '..')
export const repositoryDirectory = join(benchDirectory, '..', '..')
/** Peers are installed here, never as dependencies of the product. */
export const peersDirectory = join(repositoryDirectory, 'bench-peers')

/** The script of a contestant of ours. */
export const contestantScript = (name) => join(benchDirectory, 'contestants', `${name}.mjs`)
/** The script that speaks to a peer. */
export const peerScript = (name) => join(benchDirectory, 'peers', `${name}.mjs`)
