/** One classic BPF instruction, as `struct sock_filter`. */
export interface Instruction {
  readonly code: number
  readonly jumpTrue: number
  readonly jumpFalse: number
  readonly operand: number
}

const loadWord = 0x20
const jumpEqual = 0x15
const jumpGreaterOrEqual = 0x35
const jumpAnySet = 0x45
const giveBack = 0x06

/** Offsets in `struct seccomp_data`: the low half of an argument on a little-endian machine. */
export const seccompFields = {
  number: 0,
  architecture: 4,
  argument: (index: number): number => 16 + 8 * index,
}

/** Loads a word of the system call's description. */
export function load(offset: number): Instruction {
  return { code: loadWord, jumpTrue: 0, jumpFalse: 0, operand: offset }
}

/** Ends the filter with this answer. */
export function answer(action: number): Instruction {
  return { code: giveBack, jumpTrue: 0, jumpFalse: 0, operand: action }
}

type Test = 'equal' | 'greaterOrEqual' | 'anySet'
const testCodes = { equal: jumpEqual, greaterOrEqual: jumpGreaterOrEqual, anySet: jumpAnySet }

/** Runs the body when the loaded word passes the test, else goes on behind it. */
export function when(
  test: Test,
  operand: number,
  body: readonly Instruction[],
): readonly Instruction[] {
  return [{ code: testCodes[test], jumpTrue: 0, jumpFalse: body.length, operand }, ...body]
}

/** Runs the body unless the loaded word passes the test. */
export function unless(
  test: Test,
  operand: number,
  body: readonly Instruction[],
): readonly Instruction[] {
  return [{ code: testCodes[test], jumpTrue: body.length, jumpFalse: 0, operand }, ...body]
}

/** The program as the kernel reads it. */
export function assemble(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8)
  program.forEach((instruction, index) => {
    bytes.writeUInt16LE(instruction.code, index * 8)
    bytes.writeUInt8(instruction.jumpTrue, index * 8 + 2)
    bytes.writeUInt8(instruction.jumpFalse, index * 8 + 3)
    bytes.writeUInt32LE(instruction.operand >>> 0, index * 8 + 4)
  })
  return bytes
}
