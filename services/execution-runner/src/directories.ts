/** Where one workspace is on this disk. */
export interface WorkspaceDirectory extends AsyncDisposable {
  readonly filesDirectory: string
  readonly privateDirectory: string
  readonly spoolDirectory: string
  /** Host uid that owns the files; undefined when the runner may give none. */
  readonly uid: number | undefined
  /** Tree that the files were last known to be, when they were left behind by an earlier claim. */
  readonly leftTree: string | null | undefined
  /** Empties the files, to be restored. */
  clear(): Promise<void>
  /** Notes that the files are this tree. */
  note(tree: string | null): void
  /** Notes that the files are on their way to the next tree: left behind like this they are restored, not taken over. */
  noteChanging(): void
}

/** The workspaces on this disk. */
export interface WorkspaceDirectories {
  /** Takes the directory of a workspace, new or left behind. */
  open(workspaceId: string): Promise<WorkspaceDirectory>
}
