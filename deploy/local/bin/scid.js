#!/usr/bin/env node
// Plain JavaScript and committed, so that npm links it before the first build.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const built = new URL('../dist/bundle/scid.js', import.meta.url)

if (existsSync(fileURLToPath(built))) {
  await import(built.href)
} else {
  process.stderr.write("scid: it is not built yet -- run 'make build' in the repository\n")
  process.exitCode = 2
}
