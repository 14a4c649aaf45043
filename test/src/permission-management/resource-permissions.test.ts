import { AutoApiController, KeelModule, Module } from '@keel/framework'
import {
  AppService,
  Dto,
  op,
  PermissionGroup,
  param,
  ResourcePermissionGroup,
  remoteService,
  z,
} from '@keel/framework/contracts'
import { sql } from '@keel/framework/data'
import { Authenticated, ResourcePermissions } from '@keel/framework/security'
import { Admin, DefaultCustomer, Operator } from '@keel/identity/contracts'
import { PermissionGrants } from '@keel/permission-management'
import { GrantBook, PermissionErrors } from '@keel/permission-management/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newKey, withKey } from '../api-keys/keys.js'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { type Answer, type Sender, send } from '../support/wire.js'
import { addClients, addressOf, manager, PermissionsHost } from './host.js'

@PermissionGroup('Docs')
class DocumentPermissions {
  static readonly ManageAccess = 'Docs.ManageAccess'
  static readonly ManageSigning = 'Docs.ManageSigning'
}
@ResourcePermissionGroup('Docs.Document', DocumentPermissions.ManageAccess)
class DocumentAccess {
  static readonly Read = 'Docs.Document.Read'
  static readonly Write = 'Docs.Document.Write'
}
@ResourcePermissionGroup('Docs.Document', DocumentPermissions.ManageSigning)
class DocumentSigning {
  static readonly Sign = 'Docs.Document.Sign'
}

const key = param('key', z.string().max(50))
class ReadableDto extends Dto({ keys: z.array(z.string()) }) {}
/** Documents that are read by who was granted it, each for itself. */
abstract class DocumentAppService extends AppService(remoteService('Docs', 'docs'), 'DocumentAppService', {
  get: op(key).at('GET', '/api/docs/document/{key}'),
  getReadable: op().returns(ReadableDto),
  create: op(key).at('POST', '/api/docs/document/{key}'),
  delete: op(key).at('DELETE', '/api/docs/document/{key}'),
}) {}

@AutoApiController(DocumentAppService)
@Authenticated()
class DocumentService {
  constructor(
    private readonly access: ResourcePermissions,
    private readonly book: GrantBook,
  ) {}

  async get(name: string): Promise<void> {
    await this.access.demand(DocumentAccess.Read, name)
  }
  async getReadable(): Promise<ReadableDto> {
    return { keys: await this.access.among(DocumentAccess.Read, ['a', 'b', 'c']) }
  }
  async create(name: string): Promise<void> {
    const thing = { resourceName: 'Docs.Document', resourceKey: name }
    await this.book.grantOn(thing, { providerName: 'R', providerKey: 'Operator' }, [DocumentAccess.Read])
  }
  async delete(name: string): Promise<void> {
    await this.book.removeThing({ resourceName: 'Docs.Document', resourceKey: name })
  }
}

@Module({
  dependsOn: [PermissionsHost],
  services: [DocumentService],
  permissions: [DocumentPermissions],
  resourcePermissions: [DocumentAccess, DocumentSigning],
})
class DocumentsHost extends KeelModule {}

let app: App
/** May manage reading and writing, holds nothing on any document. */
let chief: AppCaller
/** An administrator, who may give what they don't hold. */
let admin: AppCaller

beforeAll(async () => {
  app = await startApp(DocumentsHost)
  chief = await app.as({ permissions: [DocumentPermissions.ManageAccess] })
  admin = await app.as({ permissions: [...manager, ...Object.values(DocumentPermissions)], roles: [Admin] })
})
afterAll(() => app?.close())

const thing = (resourceKey: string) => ({ resourceName: 'Docs.Document', resourceKey })
const put = (
  who: Sender,
  resourceKey: string,
  providerName: string,
  providerKey: string,
  ...permissions: string[]
): Promise<Answer> =>
  send(who, 'PUT', addressOf('permissions/resource', thing(resourceKey)), {
    providerName,
    providerKey,
    permissions,
  })
const open = async (who: Sender, name: string): Promise<number> =>
  (await send(who, 'GET', `/api/docs/document/${name}`)).status
const listed = async (who: Sender, resourceKey: string) =>
  (await send(who, 'GET', addressOf('permissions/resource', thing(resourceKey)))).body.permissions
const code = ({ status, body }: Answer) => [status, body?.error?.code]

test('a permission on one thing counts for that thing alone, from the next request on, until it is taken', async () => {
  const reader = await app.as({})
  const before = [await open(reader, 'one'), await open(reader, 'two')]
  await put(admin, 'one', 'U', reader.userId, DocumentAccess.Read)
  const granted = [await open(reader, 'one'), await open(reader, 'two')]
  await put(admin, 'one', 'U', reader.userId, DocumentAccess.Write)
  const replaced = await open(reader, 'one')
  await put(admin, 'one', 'U', reader.userId, DocumentAccess.Read, DocumentAccess.Write)
  const address = addressOf('permissions/resource', {
    ...thing('one'),
    providerName: 'U',
    providerKey: reader.userId,
  })
  const { status } = await send(admin, 'DELETE', address)
  expect({ before, granted, replaced, taken: [status, await open(reader, 'one')] }).toEqual({
    before: [403, 403],
    granted: [204, 403],
    replaced: 403,
    taken: [204, 403],
  })
  expect(await open(app.host, 'one')).toBe(401)
})

test('roles grant to their members and to those who inherit them, clients to themselves', async () => {
  await addClients(app, 'Robot')
  const [operator, customer, robot] = [
    await app.as({ roles: [Operator] }),
    await app.as({ roles: [DefaultCustomer] }),
    await app.host.as({ subject: 'Robot', clientId: 'Robot' }),
  ]
  await put(admin, 'a', 'R', 'DefaultCustomer', DocumentAccess.Read)
  await put(admin, 'b', 'R', 'Operator', DocumentAccess.Read)
  await put(admin, 'c', 'C', 'Robot', DocumentAccess.Read)
  const readable = async (who: Sender) => (await send(who, 'GET', '/api/docs/document/readable')).body.keys
  expect([await readable(operator), await readable(customer), await readable(robot)]).toEqual([
    ['a', 'b'],
    ['a'],
    ['c'],
  ])
})

test('an API key needs a grant of its own beside its owner’s', async () => {
  const key = await newKey(admin)
  const keyed = withKey(app.host, key.key)
  await put(admin, 'keyed', 'U', admin.userId, DocumentAccess.Read)
  const ownersAlone = await open(keyed, 'keyed')
  await put(admin, 'keyed', 'AK', key.id, DocumentAccess.Read)
  const both = await open(keyed, 'keyed')
  await put(admin, 'keyed', 'U', admin.userId)
  expect([ownersAlone, both, await open(keyed, 'keyed')]).toEqual([403, 204, 403])
})

test('ABP’s dialog finds kinds of holders, holders, permissions and grants by their names', async () => {
  const named = await app.as({})
  const [{ userName }] = (await app.host
    .get(PermissionGrants)
    .database.query<{ userName: string }>(
      sql`select "UserName" as "userName" from "AbpUsers" where "Id" = ${named.userId}`,
    )) as [{ userName: string }]
  const about = { resourceName: 'Docs.Document' }
  const providers = await send(
    admin,
    'GET',
    addressOf('permissions/resource-provider-key-lookup-services', about),
  )
  const search = (serviceName: string, filter: string, page?: number) =>
    send(
      admin,
      'GET',
      addressOf('permissions/search-resource-provider-keys', { ...about, serviceName, filter, page }),
    )
  const definitions = await send(admin, 'GET', addressOf('permissions/resource-definitions', about))
  await put(admin, 'dialog', 'U', named.userId, DocumentAccess.Write, DocumentAccess.Read)
  await put(admin, 'dialog', 'R', 'Operator', DocumentAccess.Read)
  expect({
    providers: providers.body,
    users: (await search('U', userName)).body,
    secondPage: (await search('U', userName, 2)).body,
    roles: (await search('R', 'perat')).body.keys[0],
    none: (await search('X', '')).body,
    definitions: definitions.body.permissions.map(({ name }: { name: string }) => name),
    listed: await listed(admin, 'dialog'),
  }).toEqual({
    providers: {
      providers: [
        { name: 'U', displayName: 'User' },
        { name: 'R', displayName: 'Role' },
        { name: 'C', displayName: 'Application' },
        { name: 'AK', displayName: 'API key' },
      ],
    },
    users: { keys: [{ providerKey: named.userId, providerDisplayName: userName }] },
    secondPage: { keys: [] },
    roles: { providerKey: 'OperationsManager', providerDisplayName: 'OperationsManager' },
    none: { keys: [] },
    definitions: [DocumentAccess.Read, DocumentAccess.Write, DocumentSigning.Sign],
    listed: [
      {
        providerName: 'R',
        providerKey: 'Operator',
        providerDisplayName: 'Operator',
        providerNameDisplayName: 'Role',
        permissions: [{ name: DocumentAccess.Read, displayName: DocumentAccess.Read }],
      },
      {
        providerName: 'U',
        providerKey: named.userId,
        providerDisplayName: userName,
        providerNameDisplayName: 'User',
        permissions: [DocumentAccess.Read, DocumentAccess.Write].map((name) => ({ name, displayName: name })),
      },
    ],
  })
})

test('the dialog of one holder says which kinds of holders grant, its roles’ grants included', async () => {
  const operator = await app.as({ roles: [Operator] })
  await put(admin, 'ways', 'R', 'Operator', DocumentAccess.Read)
  await put(admin, 'ways', 'U', operator.userId, DocumentAccess.Read)
  const query = { ...thing('ways'), providerName: 'U', providerKey: operator.userId }
  const { body } = await send(admin, 'GET', addressOf('permissions/resource/by-provider', query))
  expect(body.permissions.slice(0, 2)).toEqual([
    {
      name: DocumentAccess.Read,
      displayName: DocumentAccess.Read,
      providers: ['R', 'U'],
      isGranted: true,
    },
    { name: DocumentAccess.Write, displayName: DocumentAccess.Write, providers: [], isGranted: false },
  ])
})

test('permissions that the caller may not manage are not shown and stay as they are', async () => {
  const holder = await app.as({})
  await put(admin, 'mixed', 'U', holder.userId, DocumentAccess.Read, DocumentSigning.Sign)
  await put(admin, 'mixed', 'U', chief.userId, DocumentAccess.Read, DocumentAccess.Write)
  const shown = (await listed(chief, 'mixed')).find(
    ({ providerKey }: { providerKey: string }) => providerKey === holder.userId,
  ).permissions
  const refused = await put(chief, 'mixed', 'U', holder.userId, DocumentSigning.Sign)
  const emptied = await put(chief, 'mixed', 'U', holder.userId)
  const left = (await listed(admin, 'mixed')).find(
    ({ providerKey }: { providerKey: string }) => providerKey === holder.userId,
  ).permissions
  expect([
    shown.length,
    refused.status,
    emptied.status,
    left.map(({ name }: { name: string }) => name),
  ]).toEqual([1, 400, 204, [DocumentSigning.Sign]])
})

test('whoever manages nothing on a kind of thing sees nothing and changes nothing', async () => {
  const stranger = await app.as({})
  await put(admin, 'hidden', 'U', stranger.userId, DocumentAccess.Read)
  const about = { ...thing('hidden'), serviceName: 'U', providerName: 'U', providerKey: stranger.userId }
  const answers = await Promise.all(
    [
      'resource',
      'resource-definitions',
      'resource/by-provider',
      'resource-provider-key-lookup-services',
      'search-resource-provider-keys',
    ].map(async (path) => (await send(stranger, 'GET', addressOf(`permissions/${path}`, about))).body),
  )
  const [given, taken, unknown, anonymous] = [
    await put(stranger, 'hidden', 'U', stranger.userId, DocumentAccess.Write),
    await send(stranger, 'DELETE', addressOf('permissions/resource', about)),
    await put(admin, 'hidden', 'X', 'x', DocumentAccess.Read),
    await put(app.host, 'hidden', 'U', stranger.userId),
  ]
  expect(answers.flatMap((body) => Object.values(body))).toEqual([[], [], [], [], []])
  expect([given, taken, unknown, anonymous].map(({ status }) => status)).toEqual([403, 403, 400, 401])
})

test('there is no way up: a grant is given and taken by who holds it on the thing, and by administrators', async () => {
  const friend = await app.as({})
  const toSelf = await put(chief, 'up', 'U', chief.userId, DocumentAccess.Read)
  const toFriend = await put(chief, 'up', 'U', friend.userId, DocumentAccess.Read)
  await put(admin, 'up', 'U', chief.userId, DocumentAccess.Read)
  const held = await put(chief, 'up', 'U', friend.userId, DocumentAccess.Read)
  const beyond = await put(chief, 'up', 'U', friend.userId, DocumentAccess.Read, DocumentAccess.Write)
  await put(admin, 'up', 'U', friend.userId, DocumentAccess.Read, DocumentAccess.Write)
  const takenBeyond = await put(chief, 'up', 'U', friend.userId)
  const elsewhere = await put(chief, 'up-2', 'U', friend.userId, DocumentAccess.Read)
  const refusal = [403, PermissionErrors.NotHeldOnThing]
  expect([toSelf, toFriend, held, beyond, takenBeyond, elsewhere].map(code)).toEqual([
    refusal,
    refusal,
    [204, undefined],
    refusal,
    refusal,
    refusal,
  ])
  expect([await open(friend, 'up'), await open(friend, 'up-2')]).toEqual([204, 403])
})

test('grants go with their holder, follow a role’s new name and go with the thing', async () => {
  const superUser = await app.admin()
  const role = (await send(superUser, 'POST', '/api/identity/roles', { name: 'Archivist' })).body
  const leaver = await app.as({})
  await put(admin, 'moved', 'R', 'Archivist', DocumentAccess.Read)
  await put(admin, 'moved', 'U', leaver.userId, DocumentAccess.Read)
  const renamed = await send(superUser, 'PUT', `/api/identity/roles/${role.id}`, { ...role, name: 'Keeper' })
  const deleted = await send(superUser, 'DELETE', `/api/identity/users/${leaver.userId}`)
  const after = (await listed(admin, 'moved')).map(({ providerKey }: { providerKey: string }) => providerKey)
  await send(admin, 'POST', '/api/docs/document/moved')
  const made = (await listed(admin, 'moved')).length
  await send(admin, 'DELETE', '/api/docs/document/moved')
  expect([renamed.status, deleted.status, after, made, await listed(admin, 'moved')]).toEqual([
    200,
    204,
    ['Keeper'],
    2,
    [],
  ])
})

test('the history tells of things, and the state of ordinary permissions does not', async () => {
  const holder = await app.as({})
  await put(admin, 'told', 'U', holder.userId, DocumentAccess.Read)
  await put(admin, 'told', 'U', holder.userId)
  const { body } = await send(
    admin,
    'GET',
    addressOf('history', { ...thing('told'), sorting: 'changeTime ASC' }),
  )
  const state = await send(
    await app.admin(),
    'GET',
    addressOf('permissions/at', {
      time: new Date(Date.now() - 60_000).toISOString(),
      providerName: 'U',
      providerKey: holder.userId,
    }),
  )
  expect(
    body.items.map((item: Record<string, unknown>) => [
      item.kind,
      item.permissionName,
      item.resourceKey,
      item.userId,
    ]),
  ).toEqual([
    ['Granted', DocumentAccess.Read, 'told', admin.userId],
    ['Revoked', DocumentAccess.Read, 'told', admin.userId],
  ])
  expect([state.body.granted, state.body.prohibited]).toEqual([[], []])
})
