import { ApiKeyPermissions } from '@keel/api-keys/contracts'
import { readSpreadsheet } from '@keel/framework/spreadsheets'
import { IdentityUserAppService, IdentityUserPermissions, Operator, Sessions } from '@keel/identity/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newKey, withKey } from '../api-keys/keys.js'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { type Sender, send } from '../support/wire.js'

let app: App
let admin: AppCaller
let users: IdentityUserAppService
beforeAll(async () => {
  app = await startApp()
  admin = await app.admin()
  users = admin.service(IdentityUserAppService)
})
afterAll(() => app.close())

const path = '/api/identity/users'
const header = 'UserName,Name,Surname,EmailAddress,PhoneNumber,Password,AssignedRoleNames'

async function tokenOf(who: Sender): Promise<string> {
  return (await send(who, 'GET', `${path}/download-token`)).body.token
}

/** The rows of a file that was given out. */
async function rowsOf(response: Response): Promise<Record<string, string | null>[]> {
  const name = /filename="?([^";]+)/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? ''
  const content = new File([Buffer.from(await response.arrayBuffer())], name)
  const headers = ['UserName', 'EmailAddress', 'Roles', 'Password', 'AssignedRoleNames', 'ErrorReason']
  const columns = Object.fromEntries(headers.map((one) => [one, { header: one, kind: 'text' } as const]))
  const rows: Record<string, string | null>[] = []
  for await (const { values } of readSpreadsheet(columns, content, { required: [] })) rows.push(values)
  return rows
}

async function upload(
  who: Sender,
  content: string | Buffer<ArrayBuffer>,
  name = 'users.csv',
  fileType = 2,
  portion: Record<string, string> = {},
) {
  const body = new FormData()
  for (const [member, value] of Object.entries(portion)) body.append(member, value)
  body.append('file', new File([content], name))
  const response = await who.fetch(`${path}/import-users-from-file?fileType=${fileType}`, {
    method: 'POST',
    body,
  })
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of all shapes
  return { status: response.status, body: (await response.json()) as any }
}

test.each(['export-as-csv', 'export-as-excel'])(
  '%s gives the users of a list out for a token, once',
  async (route) => {
    const name = `listed-${route}`
    for (const number of [1, 2])
      await users.create({
        userName: `${name}${number}`,
        email: `${name}${number}@example.com`,
        password: 'Abc-Crane5',
        roleNames: ['Operator', 'PricingAnalyst'],
      })
    const address = `${path}/${route}?filter=${name}&maxResultCount=1&token=${await tokenOf(admin)}`
    expect(await rowsOf(await app.host.fetch(address))).toMatchObject([
      { UserName: `${name}1`, EmailAddress: `${name}1@example.com`, Roles: 'Operator, PricingAnalyst' },
      { UserName: `${name}2`, EmailAddress: `${name}2@example.com`, Roles: 'Operator, PricingAnalyst' },
    ])
    expect((await app.host.fetch(address)).status).toBe(403)
  },
)

test('nobody gets a list out without a token or the permission, and a token says what it is for', async () => {
  const reader = await app.as({ permissions: [IdentityUserPermissions.Default] })
  const importer = await app.as({
    permissions: [IdentityUserPermissions.Default, IdentityUserPermissions.Import],
  })
  const exporter = await app.as({ permissions: [IdentityUserPermissions.Export] })
  const address = `${path}/export-as-csv?filter=admin`
  const forged = `${admin.userId}.${'A'.repeat(32)}`
  const statuses = [
    (await app.host.fetch(`${address}&token=${await tokenOf(reader)}`)).status,
    (await app.host.fetch(address)).status,
    (await reader.fetch(address)).status,
    (await app.host.fetch(`${address}&token=${await tokenOf(importer)}`)).status,
    (await app.host.fetch(`${address}&token=${forged}`)).status,
    (await app.host.fetch(`${address}&token=nonsense`)).status,
    (await exporter.fetch(address)).status,
  ]
  expect(statuses).toEqual([403, 403, 403, 403, 403, 403, 200])
})

test.each([
  ['csv', 2],
  ['xlsx', 1],
])('the sample in %s makes users when it is imported', async (ending, fileType) => {
  const address = `${path}/import-users-sample-file?fileType=${fileType}&token=${await tokenOf(admin)}`
  const sample = await app.host.fetch(address)
  expect(sample.headers.get('content-disposition')).toContain(`ImportUsersSampleFile.${ending}`)
  const answer = await upload(admin, Buffer.from(await sample.arrayBuffer()), `sample.${ending}`, fileType)
  expect(answer).toEqual({
    status: 200,
    body: {
      allCount: 2,
      succeededCount: 2,
      failedCount: 0,
      invalidUsersDownloadToken: '',
      isAllSucceeded: true,
    },
  })
  const grace = await users.findByUsername('grace')
  expect(grace).toMatchObject({ name: 'Grace', email: 'grace@example.com' })
  expect(grace?.roleNames).toEqual(['DefaultCustomer', 'Operator'])
  for (const name of ['ada', 'grace']) await users.delete((await users.findByUsername(name))?.id ?? '')
})

test('no sample has a password that another has', async () => {
  const passwords = async (): Promise<unknown[]> => {
    const address = `${path}/import-users-sample-file?fileType=2&token=${await tokenOf(admin)}`
    return (await rowsOf(await app.host.fetch(address))).map(({ Password }) => Password)
  }
  const four = [...(await passwords()), ...(await passwords())]
  expect(new Set(four).size).toBe(4)
})

test('rows that are refused leave the others alone, and come back with their reasons but no password', async () => {
  const answer = await upload(
    admin,
    `${header}
good,Good,One,good@example.com,,Abc-Crane5,
Good,Same,Name,other@example.com,,Abc-Crane5,
weak,Weak,Word,weak@example.com,,abc,
nowhere,No,Address,nowhere,,Abc-Crane5,
roleless,No,Role,roleless@example.com,,Abc-Crane5,NoSuchRole
,No,Name,noname@example.com,,Abc-Crane5,
`,
  )
  expect(answer.body).toMatchObject({ allCount: 6, succeededCount: 1, failedCount: 5, isAllSucceeded: false })
  expect((await users.getList({ filter: 'roleless' })).totalCount).toBe(0)
  expect(await users.findByUsername('good')).toMatchObject({ roleNames: ['DefaultCustomer'] })
  const address = `${path}/download-import-invalid-users-file?token=${answer.body.invalidUsersDownloadToken}`
  const refused = await rowsOf(await app.host.fetch(address))
  expect(refused.map((row) => [row.UserName, row.Password])).toEqual([
    ['Good', null],
    ['weak', null],
    ['nowhere', null],
    ['roleless', null],
    [null, null],
  ])
  expect(refused.map(({ ErrorReason }) => ErrorReason)).toEqual([
    'The user name Good is already taken.',
    expect.stringContaining('Passwords must have at least 6 characters.'),
    expect.stringContaining('email'),
    expect.stringContaining('there is no role NoSuchRole'),
    expect.stringContaining('userName'),
  ])
  expect((await app.host.fetch(address)).status).toBe(403)
})

test('a file that comes in portions makes each user once, and the last portion opens the refused rows of all', async () => {
  const rows = ['one', 'admin', 'two', 'three', 'ADMIN'].map(
    (name, row) => `${name},Of,Portions,row${row}@portions.example,,Abc-Crane5,`,
  )
  const tokens = ['']
  const counts: number[][] = []
  for (const skipCount of ['0', '2', '4', '5']) {
    const { body } = await upload(admin, [header, ...rows].join('\n'), 'users.csv', 2, {
      skipCount,
      maxResultCount: '2',
      invalidUsersDownloadToken: String(tokens.at(-1)),
    })
    tokens.push(body.invalidUsersDownloadToken)
    counts.push([body.allCount, body.succeededCount, body.failedCount])
  }
  expect(counts).toEqual([
    [5, 1, 1],
    [5, 2, 0],
    [5, 0, 1],
    [5, 0, 0],
  ])
  const open = (token: string | undefined) =>
    app.host.fetch(`${path}/download-import-invalid-users-file?token=${token}`)
  expect((await open(tokens[1])).status).toBe(403)
  expect((await rowsOf(await open(tokens.at(-1)))).map(({ UserName }) => UserName)).toEqual([
    'admin',
    'ADMIN',
  ])
  expect((await users.getList({ filter: '@portions.example' })).totalCount).toBe(3)
  const { status } = await upload(admin, rows.join('\n'), 'users.csv', 2, { maxResultCount: '0' })
  expect(status).toBe(400)
})

test('importing takes its permission and that to create users, and gives no roles that the caller does not hold', async () => {
  const { Default, Import, Create, ManageRoles } = IdentityUserPermissions
  const row = (name: string, role = '') => `${header}\n${name},,,${name}@example.com,,Abc-Crane5,${role}\n`
  const creator = await app.as({ permissions: [Default, Create] })
  expect((await upload(creator, row('first'))).status).toBe(403)
  const importer = await app.as({ permissions: [Default, Import] })
  expect((await upload(importer, row('second'))).body).toMatchObject({ succeededCount: 0, failedCount: 1 })
  const operator = await app.as({ roles: [Operator], permissions: [Default, Import, Create, ManageRoles] })
  const climbing = await upload(operator, row('third', 'admin'))
  expect(climbing.body).toMatchObject({ succeededCount: 0, failedCount: 1 })
  expect((await upload(operator, row('fourth', 'Operator'))).body).toMatchObject({ succeededCount: 1 })
})

test.each([
  ['that is none', 'no such thing'],
  ['that is empty', ''],
  ['without a column that must be there', 'UserName,Name\nx,y\n'],
  ['with too many rows', `${header}\n${'a,b,c,d,e,f,g\n'.repeat(1001)}`],
])('a file %s makes no users', async (_case, content) => {
  const { status, body } = await upload(admin, content)
  expect([status, body.error.validationErrors[0].members]).toEqual([400, ['file']])
})

test('an API key gets no token beyond what it may itself', async () => {
  const owner = await app.as({
    permissions: [ApiKeyPermissions.Create, IdentityUserPermissions.Default, IdentityUserPermissions.Export],
  })
  const { key, id } = await newKey(owner)
  const exported = async () => {
    const token = await tokenOf(withKey(app.host, key))
    return (await app.host.fetch(`${path}/export-as-csv?filter=admin&token=${token}`)).status
  }
  expect(await exported()).toBe(200)
  await send(admin, 'PUT', `/api/permission-management/permissions?providerName=AK&providerKey=${id}`, {
    permissions: [{ name: IdentityUserPermissions.Export, isGranted: false }],
  })
  await expect.poll(exported).toBe(403)
})

/** Ways in which a caller may lose the right to a file while their token for it waits. */
const losses: Record<string, (user: AppCaller) => Promise<unknown>> = {
  'the permission': ({ userId }) =>
    send(admin, 'PUT', `/api/permission-management/permissions?providerName=U&providerKey=${userId}`, {
      permissions: [{ name: IdentityUserPermissions.Export, isGranted: false }],
    }),
  'the account': ({ userId }) => users.delete(userId),
}

test.each(Object.keys(losses))('a token opens no list any more when its user lost %s', async (what) => {
  const exporter = await app.as({
    permissions: [IdentityUserPermissions.Default, IdentityUserPermissions.Export],
  })
  const address = `${path}/export-as-csv?filter=admin&token=${await tokenOf(exporter)}`
  await losses[what]?.(exporter)
  await expect.poll(async () => (await exporter.fetch(`${path}/export-as-csv?filter=admin`)).ok).toBe(false)
  expect((await app.host.fetch(address)).status).toBe(403)
})

test('a token opens no list any more when its session ended', async () => {
  const exporter = await app.as({
    permissions: [IdentityUserPermissions.Default, IdentityUserPermissions.Export],
  })
  const sessionId = `exporting-${exporter.userId}`
  await app.host.get(Sessions).begin({ sessionId, device: 'OAuth', userId: exporter.userId })
  const caller = await app.host.as({ subject: exporter.userId, sessionId })
  const address = `${path}/export-as-csv?filter=admin&token=${await tokenOf(caller)}`
  await app.host.get(Sessions).end(sessionId)
  await expect.poll(async () => (await caller.fetch(`${path}/export-as-csv?filter=admin`)).status).toBe(403)
  expect((await app.host.fetch(address)).status).toBe(403)
})

test('a token of refused rows opens them no more when its user lost the permission', async () => {
  const importer = await app.as({
    permissions: [IdentityUserPermissions.Default, IdentityUserPermissions.Import],
  })
  const { body } = await upload(importer, `${header}\n,No,Name,noname@example.com,,Abc-Crane5,\n`)
  await send(
    admin,
    'PUT',
    `/api/permission-management/permissions?providerName=U&providerKey=${importer.userId}`,
    {
      permissions: [{ name: IdentityUserPermissions.Import, isGranted: false }],
    },
  )
  await expect.poll(async () => (await upload(importer, header)).status).toBe(403)
  const address = `${path}/download-import-invalid-users-file?token=${body.invalidUsersDownloadToken}`
  expect((await app.host.fetch(address)).status).toBe(403)
})
