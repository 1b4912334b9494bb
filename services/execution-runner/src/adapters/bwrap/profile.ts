import { z } from 'zod'

const hostPath = z.string().regex(/^\/[^\0]*$/, 'send an absolute path')
const bytes = z.number().int().positive()

/** Limits of one execution; null where there is none. */
export const SandboxLimitsSchema = z.strictObject({
  memoryBytes: bytes,
  processes: z.number().int().min(8),
  fileBytes: bytes.nullable(),
  openFiles: z.number().int().min(64),
  cpuSeconds: z.number().int().positive().nullable(),
})
export type SandboxLimits = z.infer<typeof SandboxLimitsSchema>

/** What an execution sees and may use. What is not named here is not there. */
export const SandboxProfileSchema = z.strictObject({
  /** Host directories that are the system, read-only; a missing one refuses the sandbox. */
  systemDirectories: z.array(hostPath).min(1),
  /** Host files and directories below /etc, read-only, where they exist. */
  settings: z.array(hostPath),
  /** Prefix of the managed environment, seen at /opt/science-env. */
  environmentPrefix: hostPath.nullable(),
  /** There is no other: nothing in the sandbox has a way out. */
  network: z.literal('none'),
  temporaryBytes: bytes,
  homeBytes: bytes,
  sharedMemoryBytes: bytes,
  limits: SandboxLimitsSchema,
})
export type SandboxProfile = z.infer<typeof SandboxProfileSchema>

const MiB = 1024 * 1024

/** The profile of a scientist's command: the system and the workspace, nothing else. */
export function scienceProfile(limits: SandboxLimits): SandboxProfile {
  return SandboxProfileSchema.parse({
    systemDirectories: ['/usr'],
    settings: [
      '/etc/alternatives',
      '/etc/R',
      '/etc/fonts',
      '/etc/matplotlibrc',
      '/etc/ssl/certs',
      '/etc/ld.so.cache',
      '/etc/localtime',
      '/etc/mime.types',
    ],
    environmentPrefix: null,
    network: 'none',
    temporaryBytes: 1024 * MiB,
    homeBytes: 256 * MiB,
    sharedMemoryBytes: 512 * MiB,
    limits,
  })
}

export const workspaceMount = '/workspace'
export const environmentMount = '/opt/science-env'
export const sandboxHome = '/home/scientist'
