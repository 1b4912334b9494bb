/** The key under which a workspace puts one file of a transfer. */
export function putKeyOf(transferId: string, index: number): string {
  return `${transferId}:${index}`
}

/** The effect by which a workspace tells of the change under that key. */
export function putEffectIdOf(transferId: string, index: number): string {
  return `${putKeyOf(transferId, index)}:changed`
}
