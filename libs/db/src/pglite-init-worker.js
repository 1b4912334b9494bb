// Makes a PGlite data directory: `node pglite-init-worker.js <directory>`. A process of its own, because
// initdb takes 600 MiB that a long-lived process would never give back.
import { PGlite } from '@electric-sql/pglite'

const dataDir = process.argv[2]
const pglite = await PGlite.create({ dataDir, initDbStartParams: ['-c', 'shared_buffers=16MB'] })
await pglite.close()
