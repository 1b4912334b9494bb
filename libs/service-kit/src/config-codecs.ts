import { z } from 'zod'

/** `true`, `1`, `yes`, `on` and their opposites. */
export const booleanFlag = z.codec(z.string(), z.boolean(), {
  decode: (text, context) => {
    const flag = flags.get(text.trim().toLowerCase())
    return flag ?? refuse(context, text, 'send true or false')
  },
  encode: String,
})

const flags: ReadonlyMap<string, boolean> = new Map([
  ...['true', '1', 'yes', 'on'].map((text) => [text, true] as const),
  ...['false', '0', 'no', 'off'].map((text) => [text, false] as const),
])

/** A whole number above zero: `8`. */
export const positiveInteger = z.codec(z.string(), z.number(), {
  decode: (text, context) => {
    const value = /^\s*\d{1,15}\s*$/.test(text) ? Number(text) : 0
    return value > 0 ? value : refuse(context, text, 'send a whole number above 0, like 8')
  },
  encode: String,
})

/** A whole number where 0 means no limit: `0`, `128`. */
export const wholeNumber = z.codec(z.string(), z.number(), {
  decode: (text, context) =>
    /^\s*\d{1,15}\s*$/.test(text)
      ? Number(text)
      : refuse(context, text, 'send a whole number, 0 for no limit'),
  encode: String,
})

/** A size: `1048576`, `16MiB`, `2 GB`. Plain numbers are bytes. */
export const bytes = z.codec(z.string(), z.number(), {
  decode: (text, context) =>
    scaled(text, byteUnits) ?? refuse(context, text, 'send a size like 512KiB, 16MiB or 2GB'),
  encode: String,
})

/** A time span: `250`, `250ms`, `30s`, `5m`, `2h`. Plain numbers are milliseconds. */
export const milliseconds = z.codec(z.string(), z.number(), {
  decode: (text, context) =>
    scaled(text, timeUnits) ?? refuse(context, text, 'send a time like 250ms, 30s, 5m or 2h'),
  encode: String,
})

/** One of a few words. */
export function oneOf<const Choices extends readonly [string, ...string[]]>(
  ...choices: Choices
): z.ZodEnum<{ [Choice in Choices[number]]: Choice }> {
  return z.enum(choices)
}

const byteUnits: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['b', 1],
  ['kb', 1e3],
  ['mb', 1e6],
  ['gb', 1e9],
  ['tb', 1e12],
  ['kib', 2 ** 10],
  ['mib', 2 ** 20],
  ['gib', 2 ** 30],
  ['tib', 2 ** 40],
])

const timeUnits: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['min', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
])

function scaled(text: string, units: ReadonlyMap<string, number>): number | undefined {
  const [, amount, unit] = /^\s*(\d{1,15}(?:\.\d{1,6})?)\s*([a-z]*)\s*$/i.exec(text) ?? []
  const factor = units.get((unit ?? '').toLowerCase())
  if (amount === undefined || factor === undefined) return undefined
  const value = Math.round(Number(amount) * factor)
  return Number.isSafeInteger(value) ? value : undefined
}

/** The input stays out of the issue: it may be a secret in the wrong variable. */
function refuse(context: z.core.ParsePayload, input: string, message: string): never {
  context.issues.push({ code: 'custom', input, message })
  return z.NEVER
}
