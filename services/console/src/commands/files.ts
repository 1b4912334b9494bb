import { registerFilesArchive } from './files-archive.js'
import { registerFilesGet } from './files-get.js'
import { registerFilesLs } from './files-ls.js'
import { registerFilesPut } from './files-put.js'
import type { Register } from './command.js'

/** `scid files ls | get | put | archive`: the files of a session's workspace. */
export const registerFiles: Register = (program, launch) => {
  const files = program
    .command('files')
    .description("list, get and put files of a session's workspace")
  registerFilesLs(files, launch)
  registerFilesGet(files, launch)
  registerFilesPut(files, launch)
  registerFilesArchive(files, launch)
}
