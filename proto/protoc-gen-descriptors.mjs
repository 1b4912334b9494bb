#!/usr/bin/env node
// Writes the descriptors of all contracts as one module, for gRPC reflection. A plugin of buf: it gets a
// CodeGeneratorRequest on standard input, whose field 15 is what a FileDescriptorSet has as field 1.
import { readFileSync } from 'node:fs'
import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire'

const reader = new BinaryReader(readFileSync(0))
const set = new BinaryWriter()
while (reader.pos < reader.len) {
  const [field, wireType] = reader.tag()
  if (field === 15) set.tag(1, 2).bytes(reader.bytes())
  else reader.skip(wireType)
}
const text = Buffer.from(set.finish()).toString('base64')
const content = `/** A FileDescriptorSet of every contract, in base64. */
export const fileDescriptorSet =
  '${text}'
`
const file = new BinaryWriter()
  .tag(1, 2)
  .string('sciencediscovery/descriptors.ts')
  .tag(15, 2)
  .string(content)
  .finish()
// Field 2: optional fields are understood, as far as there is anything to understand.
process.stdout.write(new BinaryWriter().tag(2, 0).uint64(1).tag(15, 2).bytes(file).finish())
