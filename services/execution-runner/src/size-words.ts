/** A size in the unit that fits. */
export function sizeWords(sizeBytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB']
  let [value, unit] = [sizeBytes, 0]
  while (value >= 1024 && unit < units.length - 1) [value, unit] = [value / 1024, unit + 1]
  return `${Number.isInteger(value) ? value : value.toFixed(1)} ${units[unit] ?? ''}`
}
