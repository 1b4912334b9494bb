import { type GatewayTool } from '../catalogue.js'
import { declareArtifact } from './declare-artifact.js'
import { editFile } from './edit-file.js'
import { execute } from './execute.js'
import { executionCancel } from './execution-cancel.js'
import { executionLogs } from './execution-logs.js'
import { executionStatus } from './execution-status.js'
import { getFileProvenance } from './get-file-provenance.js'
import { globFiles } from './glob-files.js'
import { grepFiles } from './grep-files.js'
import { listArtifacts } from './list-artifacts.js'
import { listFiles } from './list-files.js'
import { readArtifact } from './read-artifact.js'
import { readFile } from './read-file.js'
import { readToolOutput } from './read-tool-output.js'
import { runShell } from './run-shell.js'
import { workspaceTransfer } from './workspace-transfer.js'
import { writeFile } from './write-file.js'

/** Every tool of the gateway. */
export const tools: readonly GatewayTool[] = [
  { tool: declareArtifact },
  { tool: editFile },
  execute,
  { tool: executionCancel },
  { tool: executionLogs },
  { tool: executionStatus },
  { tool: getFileProvenance },
  { tool: globFiles },
  { tool: grepFiles },
  { tool: listArtifacts },
  { tool: listFiles },
  { tool: readArtifact },
  { tool: readFile },
  { tool: readToolOutput },
  runShell,
  workspaceTransfer,
  { tool: writeFile },
]
