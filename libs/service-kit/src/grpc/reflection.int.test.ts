import { Client, credentials, Metadata } from '@grpc/grpc-js'
import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startEcho, token } from './echo-fixture.js'

const path = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo'

/** Field 7, which has a length. */
const listServicesTag = (7 << 3) | 2

/** ServerReflectionRequest{list_services: "*"}, as grpcurl sends it; the names in the answer, or the status. */
function listServices(address: string, bearer: string | undefined): Promise<readonly string[]> {
  const client = new Client(address, credentials.createInsecure())
  onTestFinished(() => {
    client.close()
  })
  const metadata = new Metadata()
  if (bearer !== undefined) metadata.set('authorization', `Bearer ${bearer}`)
  const asIs = (bytes: Buffer): Buffer => bytes
  const call = client.makeBidiStreamRequest(path, asIs, asIs, metadata, {
    deadline: Date.now() + 10_000,
  })
  return new Promise((resolve, reject) => {
    call.on('data', (answer: Buffer) => {
      resolve(namesIn(answer))
      call.end()
    })
    call.on('error', reject)
    call.write(Buffer.from(new BinaryWriter().uint32(listServicesTag).string('*').finish()))
  })
}

/** Field 6 is the list, its field 1 a service, that one's field 1 the name. */
function namesIn(answer: Uint8Array): readonly string[] {
  return fieldsOf(answer, 6)
    .flatMap((list) => fieldsOf(list, 1))
    .flatMap((service) => fieldsOf(service, 1))
    .map((name) => Buffer.from(name).toString())
}

function fieldsOf(message: Uint8Array, wanted: number): readonly Uint8Array[] {
  const reader = new BinaryReader(message)
  const found: Uint8Array[] = []
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag()
    if (field === wanted) found.push(reader.bytes())
    else reader.skip(wireType)
  }
  return found
}

describe('gRPC reflection', () => {
  test('where it is on, it names the services to whoever has a token', async () => {
    await using echo = await startEcho({}, { reflection: true })
    const names = await listServices(echo.address, token)
    expect(names).toContain('sciencediscovery.runs.v1.RunService')
    expect(names).toContain('sciencediscovery.projects.v1.ProjectService')
    await expect(listServices(echo.address, undefined)).rejects.toMatchObject({ code: 16 })
    await expect(listServices(echo.address, 'wrong')).rejects.toMatchObject({ code: 16 })
  })

  test('it is off unless asked for', async () => {
    await using echo = await startEcho()
    await expect(listServices(echo.address, token)).rejects.toMatchObject({ code: 12 })
  })
})
