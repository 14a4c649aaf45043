import { createHash, randomBytes } from 'node:crypto'
import { ApiHost } from '@keel/api-host'
import { BlobStore } from '@keel/framework/blobs'
import { DocumentAppService } from '@keel/hub/contracts'
import { OperationsManager } from '@keel/identity/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp } from '../../src/support/app.js'
import { addShipments, codeId } from '../../src/support/hub-rows.js'
import { startS3 } from './s3-server.js'

let app: App
let s3: Awaited<ReturnType<typeof startS3>>
let blobs: BlobStore
beforeAll(async () => {
  s3 = await startS3()
  app = await startApp(ApiHost, s3.settings)
  blobs = app.host.get(BlobStore)
})
afterAll(async () => {
  await app?.close()
  await s3?.stop()
})

const textOf = (bytes: { stream(): ReadableStream<Uint8Array> } | undefined) =>
  new Response(bytes?.stream()).text()
const saveText = (name: string, text: string) => blobs.save(name, new Blob([text]).stream())

test('a blob in a bucket comes back whole, in part, and with what was learnt of it; then it is replaced, and deleted', async () => {
  expect(await saveText('a/b.txt', 'hello')).toEqual({
    size: 5,
    sha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
  })
  const blob = await blobs.find('a/b.txt')
  expect([
    blob?.size,
    await textOf(blob),
    await textOf(blob),
    await textOf(blob?.slice(1, 3)),
    await textOf(blob?.slice(2, 2)),
  ]).toEqual([5, 'hello', 'hello', 'el', ''])
  expect(Math.abs((blob?.lastModified ?? 0) - Date.now())).toBeLessThan(60_000)
  await saveText('a/b.txt', 'again')
  expect(await textOf(await blobs.find('a/b.txt'))).toBe('again')
  await blobs.delete('a/b.txt')
  await blobs.delete('a/b.txt')
  expect(await blobs.find('a/b.txt')).toBeUndefined()
  await saveText('empty', '')
  expect([(await blobs.find('empty'))?.size, await textOf(await blobs.find('empty'))]).toEqual([0, ''])
})

test('a blob of unknown length beyond a part goes in parts and is the same when it comes back', async () => {
  const chunk = randomBytes(1024 * 1024)
  const hash = createHash('sha256')
  const chunks = async function* () {
    for (let index = 0; index < 20; index += 1) {
      chunk.writeUInt32BE(index)
      hash.update(chunk)
      yield new Uint8Array(chunk)
    }
  }
  const receipt = await blobs.save(
    'big',
    ReadableStream.from(chunks()) as unknown as ReadableStream<Uint8Array>,
  )
  const written = hash.digest('hex')
  const read = createHash('sha256')
  const big = await blobs.find('big')
  for await (const part of (big?.stream() ?? []) as AsyncIterable<Uint8Array>) read.update(part)
  expect([receipt, big?.size, read.digest('hex')]).toEqual([
    { size: 20 * 1024 * 1024, sha256: written },
    20 * 1024 * 1024,
    written,
  ])
})

test('a stream that breaks off leaves nothing, however far it came', async () => {
  for (const megabytes of [0, 12]) {
    const broken = async function* () {
      for (let index = 0; index < megabytes; index += 1) yield new Uint8Array(1024 * 1024)
      throw new Error('the caller is gone')
    }
    const content = ReadableStream.from(broken()) as unknown as ReadableStream<Uint8Array>
    await expect(blobs.save('broken', content)).rejects.toThrow('the caller is gone')
    expect(await blobs.find('broken')).toBeUndefined()
  }
})

test('documents are kept in the bucket, and are fetched in part from it', async () => {
  const manager = await app.as({ roles: [OperationsManager] })
  const [shipmentId = ''] = await addShipments(app, [{}])
  const documentTypeId = codeId('DocumentType', 'CIV')
  const file = new File(['one;two\n1;2\n'], 'list.csv', { type: 'text/csv' })
  const { id } = await manager.service(DocumentAppService).upload({ file, shipmentId, documentTypeId })
  const part = await manager.fetch(`/api/hub/document/${id}/content`, { headers: { range: 'bytes=-4' } })
  expect([part.status, await part.text()]).toEqual([206, '1;2\n'])
})

test('while the store is away its callers are told to come back', async () => {
  const away = await startApp(ApiHost, { ...s3.settings, 'Blobs:S3:Endpoint': 'http://127.0.0.1:9' })
  try {
    await expect(away.host.get(BlobStore).find('a')).rejects.toMatchObject({ name: 'UnavailableError' })
    const content = new Blob(['a']).stream()
    await expect(away.host.get(BlobStore).save('a', content)).rejects.toMatchObject({
      name: 'UnavailableError',
    })
  } finally {
    await away.close()
  }
})
