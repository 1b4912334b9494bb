import { type OwnedWorkspace } from '../owned-workspaces.js'
import { type FilesPlace } from '../workspace-files.js'

/** Where the files of an owned workspace are. */
export function filesPlace({ directory }: OwnedWorkspace): FilesPlace {
  const { filesDirectory, spoolDirectory, uid } = directory
  return { filesDirectory, stagingDirectory: spoolDirectory, uid }
}
