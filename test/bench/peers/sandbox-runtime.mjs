import { spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { closedLoop } from '../lib/closed-loop.mjs'
import { load } from '../lib/peer-load.mjs'
import { serve } from '../lib/serve.mjs'

const { SandboxManager } = await load('@anthropic-ai/sandbox-runtime')

serve({
  async prepare() {
    const place = mkdtempSync(join(tmpdir(), 'scid-srt-'))
    process.chdir(place)
    await SandboxManager.initialize({
      network: { allowedDomains: [], deniedDomains: [] },
      filesystem: { denyRead: [], allowWrite: [place], denyWrite: [] },
    })
  },
  async measure({ clients, perClient }) {
    const act = async () => {
      const command = await SandboxManager.wrapWithSandbox('true')
      await new Promise((resolve, reject) => {
        const child = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'inherit'] })
        child.stdout.resume()
        child.once('error', reject)
        child.once('close', (code) => {
          if (code === 0) resolve()
          else reject(new Error(`true ended with ${code}`))
        })
      })
    }
    return closedLoop({ clients, perClient, act })
  },
})
