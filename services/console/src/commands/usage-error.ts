import { invalid, type PlatformError } from '@sciencediscovery/kernel'

/** The command was used wrongly: names the option or argument and what to give instead. */
export function usageError(field: string, problem: string, remedy: string): PlatformError {
  return invalid(field, problem, remedy)
}

/** A whole number from a least value on, or a usage error. */
export function wholeNumber(
  field: string,
  text: string | undefined,
  least: number,
): number | undefined {
  if (text === undefined) return undefined
  const value = /^\d{1,9}$/.test(text) ? Number(text) : -1
  if (value >= least) return value
  throw usageError(
    field,
    `${JSON.stringify(text)} is not a whole number from ${least} on`,
    `give a number like ${least + 1}`,
  )
}
