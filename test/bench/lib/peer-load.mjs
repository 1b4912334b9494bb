import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Folder of the peer that this process drives, and its packages. */
export const [peerFolder = '', ...peerArguments] = process.argv.slice(2)

const loader = await import(pathToFileURL(join(peerFolder, 'load.mjs')).href)
export const load = loader.load
