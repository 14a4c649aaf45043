import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DocumentPermissions, OrganizationPermissions, ShipmentPermissions } from '@keel/hub/contracts'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { addShipments, codeId } from '../support/hub-rows.js'
import { testOfOneProcess } from '../support/one-process.js'
import { mountSmallDisk, noSmallDisk, type SmallDisk } from '../support/small-disk.js'
import { wellStatus } from '../support/test-databases.js'

const megabyte = 1024 * 1024

interface Uploader {
  readonly app: App
  upload(bytes: number): Promise<Response>
  health(): Promise<{ status: string; entries: Record<string, { status: string; description?: string }> }>
}

async function startUploader(settings: Record<string, string>): Promise<Uploader> {
  const app = await startApp(undefined, settings)
  const permissions = [
    DocumentPermissions.Create,
    ShipmentPermissions.View,
    OrganizationPermissions.AccessAll,
  ]
  const staff: AppCaller = await app.as({ permissions })
  const [shipmentId = ''] = await addShipments(app, [{}])
  return { app, upload, health }

  function upload(bytes: number): Promise<Response> {
    const form = new FormData()
    form.append('shipmentId', shipmentId)
    form.append('documentTypeId', codeId('DocumentType', 'CIV'))
    form.append('file', new File([new Uint8Array(bytes).fill(97)], 'long.csv'))
    return staff.fetch('/api/hub/document/upload', { method: 'POST', body: form })
  }

  async function health(): ReturnType<Uploader['health']> {
    return (await app.host.fetch('/health-status')).json() as ReturnType<Uploader['health']>
  }
}

const told = async (response: Response) => ({
  status: response.status,
  retryAfter: response.headers.get('retry-after'),
  message: ((await response.json()) as { error: { message: string } }).error.message,
})
const refused = {
  status: 503,
  retryAfter: '60',
  message: 'There is no room for files at the moment. Try again later.',
}
const filesIn = (folder: string): number =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile()).length
    : 0

describe.skipIf(noSmallDisk)(`a full disk${noSmallDisk ? ` (skipped: ${noSmallDisk})` : ''}`, () => {
  let disk: SmallDisk
  let uploader: Uploader | undefined
  afterEach(async () => {
    await uploader?.app.close()
    disk?.remove()
  })

  testOfOneProcess(
    'under the files that are kept refuses uploads with 503 and leaves nothing, until there is room again',
    async () => {
      disk = mountSmallDisk(3 * megabyte)
      uploader = await startUploader({ 'Blobs:Folder': join(disk.folder, 'blobs'), 'Log:Level': 'silent' })
      const { upload, health } = uploader
      expect(await health()).toMatchObject({ status: wellStatus, entries: { Files: { status: 'Healthy' } } })
      expect((await upload(1.5 * megabyte)).status).toBe(200)
      expect((await upload(megabyte)).status).toBe(200)
      const kept = filesIn(disk.folder)
      expect(await told(await upload(1.5 * megabyte))).toEqual(refused)
      expect({ files: filesIn(disk.folder), ...(await health()) }).toMatchObject({
        files: kept,
        status: 'Degraded',
        entries: {
          Files: { status: 'Degraded', description: 'Blobs:Folder: the disk is full, uploads are refused.' },
        },
      })
      // What was there is still served, and what needs no room is done.
      rmSync(join(disk.folder, 'blobs', 'hub'), { recursive: true })
      expect(await health()).toMatchObject({ status: wellStatus })
      expect((await upload(1.5 * megabyte)).status).toBe(200)
    },
  )

  testOfOneProcess(
    'under the uploads that come in refuses them with 503, until there is room again',
    async () => {
      disk = mountSmallDisk(2 * megabyte)
      uploader = await startUploader({ 'App:UploadsFolder': disk.folder, 'Log:Level': 'silent' })
      const { upload, health } = uploader
      expect((await upload(megabyte)).status).toBe(200)
      expect(await told(await upload(3 * megabyte))).toEqual(refused)
      // The refused one gave its room back at once.
      await expect.poll(async () => (await health()).status).toBe(wellStatus)
      const foreign = join(disk.folder, 'of-somebody-else')
      writeFileSync(foreign, new Uint8Array(1.5 * megabyte))
      expect(await told(await upload(megabyte))).toEqual(refused)
      expect(await health()).toMatchObject({
        status: 'Degraded',
        entries: { Uploads: { status: 'Degraded' }, Files: { status: 'Healthy' } },
      })
      rmSync(foreign)
      expect(await health()).toMatchObject({ status: wellStatus })
      expect((await upload(megabyte)).status).toBe(200)
      expect(readdirSync(disk.folder)).toEqual([])
    },
  )
})

describe('files that a killed process left unfinished', () => {
  let folder: string
  let app: App
  const unfinished = (name: string, ageMinutes: number): void => {
    mkdirSync(join(folder, '.unfinished'), { recursive: true })
    const path = join(folder, '.unfinished', name)
    writeFileSync(path, 'half')
    const time = Date.now() / 1000 - ageMinutes * 60
    utimesSync(path, time, time)
  }
  const names = (): string[] => readdirSync(join(folder, '.unfinished')).sort()

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'keel-unfinished-'))
  })
  afterEach(() => app?.close())
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('are removed at the start, and those that may still be written to are not', async () => {
    unfinished('old', 61)
    unfinished('young', 1)
    app = await startApp(undefined, { 'Blobs:Folder': folder })
    expect(names()).toEqual(['young'])
  })

  test('are removed while the host runs, too', async () => {
    app = await startApp(undefined, { 'Blobs:Folder': folder, 'Blobs:UnfinishedMinutes': '0.005' })
    unfinished('later', 0)
    await expect.poll(names).toEqual([])
  })
})
