import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Configuration } from '../modularity/configuration.js'
import { FolderBlobStore } from './folder-blob-store.js'

let folder: string
let blobs: FolderBlobStore
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'keel-blobs-'))
  blobs = new FolderBlobStore(new Configuration().add({ Blobs: { Folder: join(folder, 'kept') } }, 'test'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const save = (name: string, text: string) => blobs.save(name, new Blob([text]).stream())
const files = (): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map(({ name }) => name)

test('a blob comes back whole, in part, and with what was learnt of it', async () => {
  const receipt = await save('a/b/c.txt', 'hello')
  const blob = await blobs.find('a/b/c.txt')
  const text = (stream: ReadableStream | undefined) => new Response(stream).text()
  expect(receipt).toEqual({
    size: 5,
    sha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
  })
  expect([blob?.size, await text(blob?.stream()), await text(blob?.slice(1, 3).stream())]).toEqual([
    5,
    'hello',
    'el',
  ])
})

test('a blob takes the place of the one before, and goes when it is deleted', async () => {
  await save('again', 'first')
  await save('again', 'second')
  const second = await new Response((await blobs.find('again'))?.stream()).text()
  await blobs.delete('again')
  await blobs.delete('again')
  expect([second, await blobs.find('again'), await blobs.find('no/such'), await blobs.find('a')]).toEqual([
    'second',
    undefined,
    undefined,
    undefined,
  ])
})

test('a stream that breaks off leaves what was there', async () => {
  await save('kept', 'old')
  const before = files()
  const broken = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new Uint8Array(100)),
    pull: (controller) => controller.error(new Error('cut')),
  })
  await expect(blobs.save('kept', broken)).rejects.toThrow('cut')
  expect([files(), await new Response((await blobs.find('kept'))?.stream()).text()]).toEqual([before, 'old'])
})

test.each([
  '',
  '/etc/passwd',
  '../secret',
  'a/../../secret',
  'a/..',
  './a',
  'a//b',
  'a/',
  '.hidden',
  'a/.unfinished/b',
  'a\\..\\b',
  'C:a',
  'a\0',
  'a b',
  'ä',
  'a.',
  'x'.repeat(101),
  'x/'.repeat(130),
])('%j names no blob', async (name) => {
  writeFileSync(join(folder, 'secret'), 'secret')
  await expect(blobs.find(name)).rejects.toThrow(RangeError)
  await expect(save(name, 'x')).rejects.toThrow(RangeError)
  await expect(blobs.delete(name)).rejects.toThrow(RangeError)
})
