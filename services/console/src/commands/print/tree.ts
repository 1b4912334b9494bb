/** A line and what hangs below it. */
export interface TreeNode {
  readonly line: string
  readonly below: readonly TreeNode[]
}

/** The node and everything below it, one line each, with the lines that connect them. */
export function drawTree(node: TreeNode): string {
  return [node.line, ...linesBelow(node, '')].map((line) => `${line}\n`).join('')
}

function linesBelow({ below }: TreeNode, before: string): readonly string[] {
  return below.flatMap((child, index) => {
    const last = index === below.length - 1
    const head = `${before}${last ? '└─ ' : '├─ '}${child.line}`
    return [head, ...linesBelow(child, `${before}${last ? '   ' : '│  '}`)]
  })
}
