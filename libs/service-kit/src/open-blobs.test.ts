import { describe, expect, test } from 'vitest'
import { parseBlobUrl } from './open-blobs.js'

describe('parseBlobUrl', () => {
  test('takes bucket, prefix, region and endpoint', () => {
    const url =
      's3://blobs/science/one/?region=eu-west-1&endpoint=https%3A%2F%2Fminio.example%3A9000'
    expect(parseBlobUrl(url)).toEqual({
      bucket: 'blobs',
      prefix: 'science/one/',
      region: 'eu-west-1',
      endpoint: 'https://minio.example:9000',
    })
  })

  test('a bucket alone is enough', () => {
    expect(parseBlobUrl('s3://blobs')).toEqual({ bucket: 'blobs', region: 'us-east-1' })
  })

  test.each([
    ['blobs', 'no address of a bucket'],
    ['https://blobs/x', 'no address of a bucket'],
    ['s3:///x', 'no address of a bucket'],
    ['s3://key:secret@blobs', 'holds credentials'],
    ['s3://blobs?regoin=x', 'does not know regoin'],
  ])('refuses %s and says why, without showing secrets', (text, why) => {
    const refusal = (): unknown => parseBlobUrl(text)
    expect(refusal).toThrow(why)
    expect(refusal).not.toThrow('secret@')
  })
})
