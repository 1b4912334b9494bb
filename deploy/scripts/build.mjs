// Transpiles every package's src to dist, file by file: Node runs exactly the files that were written.
import { cp, rm } from 'node:fs/promises'
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
const packages = [
  ...['libs', 'services'].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => join(group, name)),
  ),
  'deploy/local',
]

function sources(directory) {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
}

for (const name of packages) {
  const src = join(root, name, 'src')
  const dist = join(root, name, 'dist')
  if (!existsSync(src)) continue
  await rm(dist, { recursive: true, force: true })
  const files = sources(src).filter((file) => !/(\.test|-fixture[a-z-]*)\.ts$/.test(file))
  const entryPoints = files.filter((file) => file.endsWith('.ts'))
  if (entryPoints.length > 0) {
    await build({
      entryPoints,
      outdir: dist,
      outbase: src,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      sourcemap: 'linked',
      logLevel: 'error',
    })
  }
  for (const file of files.filter((file) => !file.endsWith('.ts')))
    await cp(file, join(dist, file.slice(src.length + 1)))
}
