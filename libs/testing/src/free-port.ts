import { createServer } from 'node:net'

/** Loopback ports that nobody listens on now. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(Array.from({ length: count }, listening))
  return Promise.all(servers.map(({ port, close }) => close().then(() => port)))
}

function listening(): Promise<{ port: number; close: () => Promise<void> }> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      const port = typeof address === 'object' && address ? address.port : 0
      const close = (): Promise<void> =>
        new Promise((done) =>
          server.close(() => {
            done()
          }),
        )
      resolve({ port, close })
    })
  })
}
