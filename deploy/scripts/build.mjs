// Transpiles every package's src to dist, file by file: Node runs exactly the files that were written.
import { cp, readFile, rm } from 'node:fs/promises'
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
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

// Resolving 1,500 modules one by one is most of a start, so what people start is bundled as well.
// The worker threads and data files beside our sources stay where they are: their URLs are made to point there.
const bundled = join(root, 'deploy/local/dist/bundle')
const placesOfSources = {
  name: 'places-of-sources',
  setup(builder) {
    builder.onLoad({ filter: /\/src\/[^?]*\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      if (!text.includes('import.meta.url')) return undefined
      const file = path.replace(/\/src\//, '/dist/').replace(/\.ts$/, '.js')
      const place = `new URL(${JSON.stringify(relative(bundled, file))}, import.meta.url).href`
      return { contents: text.replaceAll('import.meta.url', place), loader: 'ts' }
    })
  },
}
await build({
  entryPoints: ['scid', 'migrate'].map((name) => join(root, 'deploy/local/src', `${name}.ts`)),
  outdir: bundled,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  conditions: ['source'],
  // What finds files beside itself stays where it is; `pg-native` is an optional part that is not installed.
  external: [
    'grpc-health-check',
    '@grpc/grpc-js',
    '@grpc/proto-loader',
    '@grpc/reflection',
    'pino',
    'pg-native',
  ],
  banner: {
    js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
  },
  sourcemap: 'linked',
  logLevel: 'error',
  plugins: [placesOfSources],
})
