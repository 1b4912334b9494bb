/** A size for reading: `9109 bytes`, `1.2 MiB`. */
export function sizeText(sizeBytes: number): string {
  if (sizeBytes < 10_240) return `${sizeBytes} ${sizeBytes === 1 ? 'byte' : 'bytes'}`
  const kib = sizeBytes / 1024
  if (kib < 1024) return `${kib.toFixed(1)} KiB`
  const mib = kib / 1024
  return mib < 1024 ? `${mib.toFixed(1)} MiB` : `${(mib / 1024).toFixed(1)} GiB`
}

/** A count with its noun: `1 line`, `12 lines`. */
export function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`
}

/** The first items, and how many more there are. */
export function some(items: readonly string[], most: number): string {
  const shown = items.slice(0, most).join(', ')
  return items.length > most ? `${shown} and ${items.length - most} more` : shown
}
