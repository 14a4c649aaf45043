import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import http from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { AutoApiController, KeelModule, Module } from '@keel/framework'
import { BlobStore, BlobsModule } from '@keel/framework/blobs'
import { createClient } from '@keel/framework/client'
import {
  AppService,
  Dto,
  EntityNotFoundError,
  enumeration,
  type FileContent,
  file,
  guid,
  id,
  instant,
  op,
  remoteService,
  z,
} from '@keel/framework/contracts'
import { AbpApiDefinitionModule, DocsUiModule, HttpModule } from '@keel/framework/http'
import { AllowAnonymous, Authenticated, SecurityModule } from '@keel/framework/security'
import { IdentityModule } from '@keel/identity'
import { PermissionManagementModule } from '@keel/permission-management'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, startApp } from '../support/app.js'
import { testOfOneProcess } from '../support/one-process.js'
import { openApiOf } from '../support/open-api.js'
import { type Answer, faultyMembers, send } from '../support/wire.js'

enum Shade {
  Light = 0,
  Dark = 1,
}
class StoreInput extends Dto({
  id: guid(),
  picture: file('image/png', 'image/jpeg'),
  preview: file().nullish(),
  title: z.string().max(100).nullish(),
  shade: enumeration('Shade', Shade).optional(),
  takenAt: instant().nullish(),
  isPublic: z.boolean().optional(),
  pages: z.array(z.int()).nullish(),
}) {}
class StoredDto extends Dto({
  name: z.string(),
  type: z.string(),
  size: z.int(),
  sha256: z.string(),
  preview: z.string().nullable(),
  title: z.string().nullish(),
  shade: enumeration('Shade', Shade).nullish(),
  takenAt: instant().nullish(),
  isPublic: z.boolean().nullish(),
  pages: z.array(z.int()).nullish(),
}) {}

abstract class PictureAppService extends AppService(
  remoteService('Gallery', 'gallery'),
  'PictureAppService',
  {
    store: op(StoreInput).returns(StoredDto),
    storeSecretly: op(StoreInput).returns(StoredDto),
    getContent: op(id).returns(file('image/png')),
    getNote: op().returns(file()),
    getEndless: op().returns(file()),
  },
) {}

@AutoApiController(PictureAppService)
@AllowAnonymous()
class PictureService implements PictureAppService {
  constructor(private readonly blobs: BlobStore) {}

  async store({ id, picture, preview, ...rest }: StoreInput): Promise<StoredDto> {
    const { name, type } = picture
    const receipt = await this.blobs.save(`gallery/${id}`, picture.stream())
    return { name, type, ...receipt, preview: preview?.name ?? null, ...rest }
  }

  @Authenticated()
  storeSecretly(input: StoreInput): Promise<StoredDto> {
    return this.store(input)
  }

  async getContent(id: string): Promise<FileContent> {
    const blob = await this.blobs.find(`gallery/${id}`)
    if (!blob) throw new EntityNotFoundError('Picture', id)
    return { ...blob, name: 'Überraschung “1”.png', type: 'image/png', entityTag: `"${id}"` }
  }

  async getNote(): Promise<FileContent> {
    return new File(['a note'], 'note.txt', { type: 'text/plain' })
  }

  async getEndless(): Promise<FileContent> {
    const chunk = new Uint8Array(10_000)
    const stream = () =>
      new ReadableStream({ pull: (controller) => controller.enqueue(chunk), cancel: stopEndless })
    return { name: '', type: '', stream }
  }
}

let stopEndless: () => void
const endlessStopped = new Promise<void>((resolve) => {
  stopEndless = resolve
})

@Module({
  dependsOn: [
    HttpModule,
    DocsUiModule,
    AbpApiDefinitionModule,
    BlobsModule,
    SecurityModule,
    IdentityModule,
    PermissionManagementModule,
  ],
  services: [PictureService],
})
class GalleryHost extends KeelModule {}

const maxFileBytes = 26 * 1024 * 1024
const folder = mkdtempSync(join(tmpdir(), 'keel-blobs-'))
const address = '/api/gallery/picture/store'
let app: App
let pictures: PictureAppService
beforeAll(async () => {
  app = await startApp(GalleryHost, {
    'Blobs:Folder': folder,
    'App:MaxFileBytes': String(maxFileBytes),
    'App:MaxJsonBodyBytes': '4096',
  })
  pictures = createClient(PictureAppService, { baseUrl: app.host.url })
})
afterAll(async () => {
  await app?.close()
  rmSync(folder, { recursive: true, force: true })
})

/** The bytes of buffers that somebody still holds. */
function bytesInUse(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().arrayBuffers
}

let made = 0
const newId = (): string => `00000000-0000-4000-8000-${String(++made).padStart(12, '0')}`
const pathOf = (id: string): string => `/api/gallery/picture/${id}/content`
const png = (content: string | Uint8Array<ArrayBuffer> = 'bytes', name = 'a.png'): File =>
  new File([content], name, { type: 'image/png' })
const uploads = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('keel-upload-'))
const kept = (): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map(({ name }) => name)

function formOf(members: Record<string, string | Blob>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(members)) form.append(name, value)
  return form
}
async function post(body: RequestInit['body'], headers: Record<string, string> = {}): Promise<Answer> {
  const response = await app.host.fetch(address, { method: 'POST', body: body ?? null, headers })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) }
}
/** A part as a foreign program might write it. */
const part = (disposition: string, content = 'x', type = 'image/png'): string =>
  `--b\r\nContent-Disposition: form-data; ${disposition}\r\nContent-Type: ${type}\r\n\r\n${content}\r\n`
const raw = (...parts: string[]) =>
  post(`${parts.join('')}--b--\r\n`, { 'content-type': 'multipart/form-data; boundary=b' })
const idPart = (): string => `--b\r\nContent-Disposition: form-data; name="id"\r\n\r\n${newId()}\r\n`

describe('a file that is sent', () => {
  test('comes with its name, type and bytes, and with the other members in their types', async () => {
    const takenAt = new Date('2026-11-21T10:00:00Z')
    const rest = { title: 'Ein “Titel”', shade: Shade.Dark, takenAt, isPublic: false, pages: [1, 2] }
    const stored = await pictures.store({ id: newId(), picture: png('content'), ...rest })
    expect(stored).toEqual({
      name: 'a.png',
      type: 'image/png',
      size: 7,
      sha256: createHash('sha256').update('content').digest('hex'),
      preview: null,
      ...rest,
    })
  })

  test('may be a stream that is no Blob', async () => {
    const picture: FileContent = {
      name: 's.png',
      type: 'image/png',
      stream: () => new Blob(['stream']).stream(),
    }
    expect(await pictures.store({ id: newId(), picture })).toMatchObject({ name: 's.png', size: 6 })
  })

  test('may stand before the other members, in any case, beside what nobody knows', async () => {
    const { status, body } = await post(
      formOf({ PICTURE: png(), unknown: 'x', other: new Blob(['y']), Title: 'T', ID: newId() }),
    )
    expect({ status, body }).toMatchObject({ status: 200, body: { name: 'a.png', title: 'T', size: 5 } })
  })

  test('that is missing is a fault, as is every other', async () => {
    const answer = await post(formOf({ title: 'x'.repeat(101), pages: 'many' }))
    expect([answer.status, faultyMembers(answer)]).toEqual([400, ['id', 'pages[0]', 'picture', 'title']])
  })

  test.each([
    ['a text in its place', { picture: 'text' }],
    ['a field where none was chosen', { picture: new File([], '') }],
  ])('is not %s', async (_what, members) => {
    const answer = await post(formOf({ id: newId(), ...members }))
    expect([answer.status, faultyMembers(answer)]).toEqual([400, ['picture']])
  })

  test('may be empty', async () => {
    expect(await pictures.store({ id: newId(), picture: png('') })).toMatchObject({ size: 0 })
  })

  test('comes alone under its name', async () => {
    const form = formOf({ id: newId(), picture: png() })
    form.append('picture', png())
    const answer = await post(form)
    expect([answer.status, faultyMembers(answer)]).toEqual([400, ['picture']])
  })

  test.each([
    ['name="picture"; filename="plain.png"', 'plain.png'],
    ['name="picture"; filename="Zoë Ærø 図面.png"', 'Zoë Ærø 図面.png'],
    ['name="picture"; filename="say %22hi%22.png"', 'say "hi".png'],
    ['name="picture"; filename="say \\"hi\\".png"', 'say "hi".png'],
    ['name="picture"; filename*=UTF-8\'\'na%C3%AFve%20plan.png', 'naïve plan.png'],
    ['name="picture"; filename="../../etc/passwd.png"', 'passwd.png'],
    ['name="picture"; filename="C:\\fakepath\\x.png"', 'x.png'],
    ['name="picture"; filename*=UTF-8\'\'..%2F..%2Fup.png', 'up.png'],
    ['name="picture"; filename*=UTF-8\'\'a%00b%09c.png', 'abc.png'],
    ['name="picture"; filename="cod\u202egnp.exe"', 'codgnp.exe'],
    ['name="picture"; filename=".."', ''],
    ['name="picture"; filename="a.png. . "', 'a.png'],
    [`name="picture"; filename="${'x'.repeat(300)}.png"`, `${'x'.repeat(251)}.png`],
    [`name="picture"; filename="${'図'.repeat(300)}.png"`, `${'図'.repeat(251)}.png`],
  ])('that is called %s has the name %j', async (disposition, name) => {
    const { status, body } = await raw(idPart(), part(disposition))
    expect([status, body.name]).toEqual([200, name])
  })

  test('reaches the operation only when its caller may call it, whatever else is wrong', async () => {
    const form = formOf({ picture: new Blob([new Uint8Array(maxFileBytes + 1)]) })
    const response = await app.host.fetch('/api/gallery/picture/store-secretly', {
      method: 'POST',
      body: form,
    })
    expect(response.status).toBe(401)
  })
})

describe('a form that is not understood', () => {
  test.each([
    ['application/json', '{}', 415],
    ['text/plain', 'x', 415],
    ['multipart/mixed; boundary=b', '--b--', 415],
    ['multipart/form-data', '--b--', 400],
    ['multipart/form-data; boundary=b', '', 400],
    ['multipart/form-data; boundary=b', 'nothing of the kind', 400],
    ['multipart/form-data; boundary=b', '--b\r\nContent-Disposition: form-data; name="id"\r\n\r\ncut', 400],
    ['multipart/form-data; boundary=b', part('name="picture"; filename="a.png"'), 400],
    ['multipart/form-data; boundary=b', `--b\r\n${'X: y\r\n'.repeat(5000)}\r\n`, 400],
    ['multipart/form-data; boundary=b', `${part('name="a[b][c][d][e][f][g]"')}--b--`, 400],
    ['multipart/form-data; boundary=b', `${part('name="x"').repeat(501)}--b--`, 400],
    ['multipart/form-data; boundary=b', `${part('filename="x"').repeat(20)}--b--`, 400],
    ['multipart/form-data; boundary=b', `${part('')}--b--`, 400],
  ])('of the type %s (%#) is told as a fault of the caller', async (type, body, expected) => {
    const { status, body: answer } = await post(body, { 'content-type': type })
    expect([status, typeof answer.error.message]).toEqual([expected, 'string'])
  })

  test('because it is packed answers 415', async () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=b', 'content-encoding': 'gzip' }
    expect((await post('x', headers)).status).toBe(415)
  })

  test.each([
    ['one field', ['x'.repeat(5000)]],
    ['all fields together', Array(5).fill('x'.repeat(1000))],
  ])('because %s are too large answers 413', async (_what, values) => {
    const form = formOf({ id: newId(), picture: png() })
    for (const value of values) form.append('unknown', value)
    expect(await post(form)).toMatchObject({
      status: 413,
      body: { error: { message: 'The body is larger than 4096 bytes.' } },
    })
  })

  test('because a file is too large answers 413, with and without an announced length, and keeps nothing', async () => {
    const before = kept()
    const form = () => formOf({ id: newId(), picture: new Blob([new Uint8Array(maxFileBytes + 1)]) })
    const announced = await post(form())
    const { body, headers } = new Response(form())
    const streamed = await app.host.fetch(address, {
      method: 'POST',
      body,
      duplex: 'half',
      headers: { 'content-type': headers.get('content-type') ?? '' },
    } as RequestInit)
    expect([announced.status, streamed.status]).toEqual([413, 413])
    expect(announced.body.error.message).toBe(`The file is larger than ${maxFileBytes} bytes.`)
    await expect.poll(() => [kept(), uploads()]).toEqual([before, []])
  })

  test('because its caller hung up leaves nothing behind', async () => {
    const before = kept()
    const { port } = new URL(app.host.url)
    const closed = new Promise((resolve) => {
      const headers = { 'content-type': 'multipart/form-data; boundary=b', 'content-length': '1000000' }
      const request = http.request({ port, path: address, method: 'POST', headers })
      request.on('error', resolve)
      request.write(idPart() + part('name="picture"; filename="a.png"', 'x'.repeat(100_000)), () =>
        setTimeout(() => request.destroy(), 50),
      )
      request.on('close', resolve)
    })
    await closed
    await expect.poll(() => [kept(), uploads()]).toEqual([before, []])
    expect((await app.host.fetch('/health/live')).status).toBe(200)
  })
})

describe('a file that is fetched', () => {
  const content = '0123456789'
  let id: string
  beforeAll(async () => {
    id = newId()
    await pictures.store({ id, picture: png(content) })
  })
  const get = async (headers: Record<string, string> = {}, method = 'GET') => {
    const response = await app.host.fetch(pathOf(id), { method, headers })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }

  test('has its name, type and length, and is kept by its reader alone', async () => {
    const { status, headers, text } = await get()
    expect([status, text]).toEqual([200, content])
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': '10',
      'content-disposition': `attachment; filename="_berraschung _1_.png"; filename*=UTF-8''%C3%9Cberraschung%20%E2%80%9C1%E2%80%9D.png`,
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-cache',
      'x-content-type-options': 'nosniff',
      etag: `"${id}"`,
      'last-modified': expect.stringMatching(/GMT$/),
    })
  })

  test('comes to a client as a stream', async () => {
    const found = await pictures.getContent(id)
    expect([
      found.name,
      found.type,
      found.size,
      found.entityTag,
      await new Response(found.stream()).text(),
    ]).toEqual(['Überraschung “1”.png', 'image/png', 10, `"${id}"`, content])
  })

  test('may be a web File', async () => {
    const response = await app.host.fetch('/api/gallery/picture/note', { headers: { range: 'bytes=2-' } })
    expect([response.status, response.headers.get('content-disposition'), await response.text()]).toEqual([
      206,
      'attachment; filename="note.txt"',
      'note',
    ])
  })

  test('answers HEAD without its bytes', async () => {
    const { status, headers, text } = await get({ range: 'bytes=0-1' }, 'HEAD')
    expect([status, headers.get('content-length'), text]).toEqual([200, '10', ''])
  })

  test.each([
    ['bytes=0-3', 'bytes 0-3/10', '0123'],
    ['bytes=4-', 'bytes 4-9/10', '456789'],
    ['bytes=-2', 'bytes 8-9/10', '89'],
    ['bytes=-200', 'bytes 0-9/10', content],
    ['bytes=8-100', 'bytes 8-9/10', '89'],
  ])('of which %s is asked for answers 206', async (range, told, text) => {
    const answer = await get({ range })
    expect([
      answer.status,
      answer.headers.get('content-range'),
      answer.headers.get('content-length'),
      answer.text,
    ]).toEqual([206, told, String(text.length), text])
  })

  test.each(['bytes=10-', 'bytes=100-200', 'bytes=-0', 'bytes=99999999999999999999-'])(
    'that has nothing in %s answers 416 with its size',
    async (range) => {
      const { status, headers, text } = await get({ range })
      expect([status, headers.get('content-range'), headers.get('content-disposition')]).toEqual([
        416,
        'bytes */10',
        null,
      ])
      expect(JSON.parse(text).error.message).toMatch(/10 bytes/)
    },
  )

  test.each(['bytes=5-2', 'bytes=a-b', 'items=0-1', 'bytes=0-1,4-5', 'bytes=-', ''])(
    'comes whole when the range is %j',
    async (range) => {
      const { status, text } = await get({ range })
      expect([status, text]).toEqual([200, content])
    },
  )

  test('comes in part only while it is what the reader has', async () => {
    const { headers } = await get()
    const modified = headers.get('last-modified') ?? ''
    const conditions = [`"${id}"`, modified, `W/"${id}"`, '"other"', new Date(0).toUTCString(), 'garbage']
    const statuses = await Promise.all(
      conditions.map(async (condition) => (await get({ range: 'bytes=0-1', 'if-range': condition })).status),
    )
    expect(statuses).toEqual([206, 206, 200, 200, 200, 200])
  })

  test('is not sent to who has it', async () => {
    const { headers } = await get()
    const modified = headers.get('last-modified') ?? ''
    const conditions: Record<string, string>[] = [
      { 'if-none-match': `"${id}"` },
      { 'if-none-match': `"x", W/"${id}"` },
      { 'if-none-match': '*' },
      { 'if-modified-since': modified },
      { 'if-none-match': '"x"', 'if-modified-since': modified },
      { 'if-modified-since': new Date(0).toUTCString() },
      { 'if-modified-since': 'garbage' },
    ]
    const answers = await Promise.all(conditions.map((condition) => get(condition)))
    expect(answers.map(({ status }) => status)).toEqual([304, 304, 304, 304, 200, 200, 200])
    expect([answers[0]?.text, answers[0]?.headers.get('etag')]).toEqual(['', `"${id}"`])
  })

  test('that does not exist answers 404 in an envelope', async () => {
    await expect(pictures.getContent(newId())).rejects.toMatchObject({
      status: 404,
      name: 'EntityNotFoundError',
    })
  })
})

testOfOneProcess('25 MB go in and out in little memory', async () => {
  const id = newId()
  const megabyte = new Uint8Array(1024 * 1024).fill(7)
  const head = `--b\r\nContent-Disposition: form-data; name="id"\r\n\r\n${id}\r\n${part('name="picture"; filename="big.png"', '')}`
  const before = bytesInUse()
  let highest = 0
  const look = (): void => {
    highest = Math.max(highest, bytesInUse() - before)
  }
  async function* bodyOf(): AsyncIterable<Uint8Array> {
    yield Buffer.from(head.slice(0, -2))
    for (let sent = 0; sent < 25; sent++) {
      if (sent % 5 === 4) look()
      yield megabyte
    }
    yield Buffer.from('\r\n--b--\r\n')
  }
  // Not fetch: it holds what it has sent until all is sent.
  const request = http.request(app.host.url + address, {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
  })
  const answered = once(request, 'response') as Promise<[http.IncomingMessage]>
  await pipeline(bodyOf, request)
  const [response] = await answered
  const stored = (await json(response)) as StoredDto
  const back = createHash('sha256')
  let received = 0
  for await (const chunk of (await pictures.getContent(id)).stream()) {
    back.update(chunk)
    if (Math.floor(received / 5e6) < Math.floor((received + chunk.length) / 5e6)) look()
    received += chunk.length
  }
  expect([stored.size, received, stored.sha256]).toEqual([25 * megabyte.length, received, back.digest('hex')])
  expect(highest).toBeLessThan(20 * megabyte.length)
})

test('a reader who hangs up stops the source', async () => {
  const found = await pictures.getEndless()
  const reader = found.stream().getReader()
  await reader.read()
  await reader.cancel()
  await endlessStopped
  expect([found.name, found.type, found.size]).toEqual(['file', 'application/octet-stream', undefined])
})

test('no form, however damaged, is answered with a fault of ours', async () => {
  const whole = Buffer.from(
    `${idPart()}${part('name="picture"; filename="a.png"', 'x'.repeat(50))}${part('name="other"; filename="b"')}--b--\r\n`,
  )
  const damage = fc.array(
    fc.record({
      at: fc.nat(whole.length),
      cut: fc.oneof(fc.nat(3), fc.nat(whole.length)),
      put: fc.oneof(
        fc.uint8Array({ maxLength: 3 }),
        fc.constantFrom('\r\n', '--b', '"', ';', '--', '\r\n\r\n'),
      ),
    }),
    { minLength: 1, maxLength: 4 },
  )
  await fc.assert(
    fc.asyncProperty(damage, async (wounds) => {
      let body = whole
      for (const { at, cut, put } of wounds)
        body = Buffer.concat([body.subarray(0, at), Buffer.from(put as string), body.subarray(at + cut)])
      const { status } = await post(body, { 'content-type': 'multipart/form-data; boundary=b' })
      expect([200, 400]).toContain(status)
    }),
    { numRuns: 400, seed: 1, endOnFailure: true },
  )
  await expect.poll(uploads).toEqual([])
})

describe('the documents', () => {
  test('describe forms and files in OpenAPI', async () => {
    const { paths } = await openApiOf(app.host)
    const upload = paths['/api/gallery/picture/store']?.post
    const schema = upload?.requestBody?.content['multipart/form-data']?.schema
    expect(schema).toEqual({ $ref: '#/components/schemas/Gallery.StoreInput' })
    const { components } = await openApiOf(app.host)
    expect(components.schemas['Gallery.StoreInput']).toMatchObject({
      required: ['id', 'picture'],
      properties: { picture: { type: 'string', format: 'binary' }, isPublic: { type: 'boolean' } },
    })
    const download = paths['/api/gallery/picture/{id}/content']?.get?.responses
    expect(Object.keys(download ?? {})).toEqual(expect.arrayContaining(['200', '206', '304', '404', '416']))
    expect(download?.['200']?.content).toEqual({
      'image/png': { schema: { type: 'string', format: 'binary' } },
    })
  })

  test('describe them to ABP’s generator of proxies', async () => {
    const { body } = await send(app.host, 'GET', '/api/abp/api-definition?includeTypes=true')
    const { actions } = body.modules.gallery.controllers['Keel.Gallery.Pictures.PictureController']
    const stream = {
      type: 'Volo.Abp.Content.IRemoteStreamContent',
      typeSimple: 'Volo.Abp.Content.IRemoteStreamContent',
    }
    const { parametersOnMethod, parameters } = actions.StoreAsyncByInput
    expect(parametersOnMethod).toMatchObject([{ name: 'input', ...stream }])
    expect(parameters).toMatchObject([
      { name: 'Id', bindingSourceId: 'Form', nameOnMethod: 'input', descriptorName: 'input' },
      { name: 'Picture', bindingSourceId: 'FormFile', nameOnMethod: 'input', descriptorName: '', ...stream },
      { name: 'Preview', bindingSourceId: 'FormFile', isOptional: true },
      { name: 'Title', bindingSourceId: 'Form' },
      { name: 'Shade', bindingSourceId: 'Form', typeSimple: 'enum?' },
      ...Array(3).fill({ bindingSourceId: 'Form' }),
    ])
    expect(actions.GetContentAsyncById.returnValue).toEqual({
      ...stream,
      contentTypes: ['image/png'],
      isRemoteStream: true,
    })
    expect(Object.keys(body.types).filter((name) => /Gallery|Content/.test(name))).toEqual([
      'Keel.Gallery.Shade',
      'Keel.Gallery.StoredDto',
      stream.type,
    ])
  })
})

test('a contract that takes a file without a body is refused', () => {
  abstract class BrokenAppService extends AppService(
    remoteService('Gallery', 'gallery'),
    'BrokenAppService',
    {
      getSimilar: op(StoreInput).returns(StoredDto),
    },
  ) {}
  expect(() => BrokenAppService.contract).toThrow('BrokenAppService.getSimilar takes a file: say .at(')
})
