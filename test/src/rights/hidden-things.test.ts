import { randomUUID } from 'node:crypto'
import { AddressRole, HubErrors, OrganizationAppService, ShipmentAppService } from '@keel/hub/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { addDocuments, addMember, addOrganization, addShipments, codeId } from '../support/hub-rows.js'
import { type Answer, faultyMembers, send } from '../support/wire.js'

const shipments = '/api/hub/shipment'
const nowhere = '00000000-0000-4000-8000-000000000001'
const roles = Object.values(AddressRole).filter((role): role is AddressRole => typeof role === 'number')

let app: App
let customer: AppCaller
let staff: AppCaller
let ours: string
let theirs: string
let partner: string
let hiddenShipment: string
const hiddenMember = randomUUID()

beforeAll(async () => {
  // Stacks tell where a copy of the host was built.
  app = await startApp(undefined, { 'App:SendExceptionDetails': 'false' })
  const every = [...app.permissions.keys()].filter((name) =>
    /^(Shipment|Document|Organization|Port|CodeEntity)\./.test(name),
  )
  ours = await addOrganization(app, 'OURS')
  theirs = await addOrganization(app, 'THEIRS', { ExternalId: 'EXT-THEIRS' })
  partner = await addOrganization(app, 'PARTNER')
  customer = await app.as({
    permissions: every.filter((name) => !name.endsWith('AccessAll')),
    organizations: ['OURS'],
  })
  staff = await app.as({ permissions: every })
  const [hidden = ''] = await addShipments(app, [
    {
      ShipmentReference: 'HIDDEN',
      parties: [{ role: AddressRole.ControllingCustomer, organizationId: theirs }],
    },
    {
      parties: [
        { role: AddressRole.ControllingCustomer, organizationId: ours },
        { role: AddressRole.Consignor, organizationId: partner },
      ],
    },
  ])
  hiddenShipment = hidden
})
afterAll(() => app?.close())

/** An answer without what differs between any two requests. */
function comparable({ status, body }: Answer, id: string) {
  return {
    status,
    body: JSON.stringify(body)
      ?.replaceAll(id, 'ID')
      .replaceAll(/R-[0-9a-f-]{36}/g, 'REFERENCE'),
  }
}

const withParty = <P extends { readonly role: AddressRole }>(party: P) => ({
  shipmentReference: `R-${randomUUID()}`,
  addresses: [party],
})

test.each(
  roles.flatMap(
    (role) =>
      [
        [AddressRole[role] as string, 'without a name', { role }],
        [AddressRole[role] as string, 'with a name', { role, companyName: 'Company' }],
      ] as const,
  ),
)(
  'a hidden organization as the %s %s is refused like one that does not exist',
  async (_role, _named, party) => {
    const [hidden, missing] = await Promise.all(
      [theirs, nowhere].map(async (id) =>
        comparable(await send(customer, 'POST', shipments, withParty({ ...party, organizationId: id })), id),
      ),
    )
    expect(hidden).toEqual(missing)
    expect([400, 403]).toContain(hidden?.status)
  },
)

test('a company that is on a visible shipment may be a party, by the name that it has there', async () => {
  const made = await customer
    .service(ShipmentAppService)
    .create(withParty({ role: AddressRole.Consignor, organizationId: partner }))
  expect(made.addresses?.map(({ organizationId }) => organizationId).sort()).toEqual([ours, partner].sort())
})

test('a taken reference of a hidden shipment is told as taken, and nothing else of it', async () => {
  const answer = await send(customer, 'POST', shipments, { shipmentReference: 'HIDDEN' })
  expect([answer.status, answer.body.error]).toEqual([
    403,
    {
      code: HubErrors.ShipmentReferenceAlreadyExists,
      message: 'There is already a shipment with the reference HIDDEN.',
      details: null,
      data: { entity: 'Shipment', shipmentReference: 'HIDDEN' },
      validationErrors: null,
    },
  ])
})

test.each([
  ['creditStatus', 1],
  ['isActive', false],
  ['isForwarder', true],
  ['isCarrier', true],
  ['parentOrganizationId', nowhere],
  ['externalId', 'MINE'],
])('%s of an own organization is for staff to change', async (member, value) => {
  const refused = await send(customer, 'PUT', `/api/hub/organization/${ours}`, { [member]: value })
  expect([refused.status, faultyMembers(refused)]).toEqual([400, [member]])
})

test.each([
  ['code', 'THEIRS', 'NOBODYS'],
  ['externalId', 'EXT-THEIRS', 'EXT-NOBODYS'],
])('a change of %s tells no customer whether another organization has it', async (member, taken, free) => {
  const [told, untold] = await Promise.all(
    [taken, free].map(async (value) =>
      comparable(await send(customer, 'PUT', `/api/hub/organization/${ours}`, { [member]: value }), value),
    ),
  )
  expect(told).toEqual(untold)
  expect(told?.status).toBe(400)
})

test('customers who may create organizations make none, and learn of no code by trying', async () => {
  const [told, untold] = await Promise.all(
    ['THEIRS', 'NOBODYS'].map(async (code) => {
      const input = { code, fullName: 'Made', countryCode: 'NL', parentOrganizationId: ours }
      return comparable(await send(customer, 'POST', '/api/hub/organization', input), code)
    }),
  )
  expect(told).toEqual(untold)
  expect(told?.status).toBe(403)
})

test('an own organization is sent back whole with another name by a customer, and rated by staff', async () => {
  const service = customer.service(OrganizationAppService)
  const { id, ...whole } = await service.get(ours)
  expect((await service.update(ours, { ...whole, fullName: 'Ours & Sons' })).fullName).toBe('Ours & Sons')
  const rated = await send(staff, 'PUT', `/api/hub/organization/${ours}`, { creditStatus: 1 })
  expect([id, rated.status]).toEqual([ours, 200])
})

test('no operation on one thing tells a hidden one from one that does not exist', async () => {
  const { body } = await send(app.host, 'GET', '/swagger/v1/swagger.json')
  const [document = ''] = await addDocuments(app, [{ ShipmentId: hiddenShipment }])
  await addMember(app, randomUUID(), theirs, { Id: hiddenMember })
  const hiddenIds = {
    shipment: hiddenShipment,
    organization: theirs,
    'organization-member': hiddenMember,
    document,
  }
  const compared: string[] = []
  for (const [path, methods] of Object.entries(body.paths as Record<string, object>)) {
    const kind = /^\/api\/(?:hub|app|pricing)\/([\w-]+)\/\{id\}/.exec(path)?.[1]
    const hidden = hiddenIds[kind as keyof typeof hiddenIds]
    if (!hidden) continue
    for (const method of Object.keys(methods)) {
      const [told, missing] = await Promise.all(
        [hidden, nowhere].map(async (id) => {
          const input = method === 'put' ? {} : undefined
          return comparable(await send(customer, method.toUpperCase(), path.replace('{id}', id), input), id)
        }),
      )
      expect(told, `${method} ${path}`).toEqual(missing)
      compared.push(`${method} ${path}`)
    }
  }
  expect(compared.length).toBeGreaterThanOrEqual(13)
})

test.each(['shipmentId', 'organizationId'])(
  'a document of a hidden %s is refused like one of nothing',
  async (member) => {
    const [hidden, missing] = await Promise.all(
      [member === 'shipmentId' ? hiddenShipment : theirs, nowhere].map(async (id) => {
        const form = new FormData()
        form.append('file', new Blob(['%PDF-1.4\n%%EOF']), 'a.pdf')
        form.append(member, id)
        form.append('documentTypeId', codeId('DocumentType', 'CIV'))
        const response = await customer.fetch('/api/hub/document/upload', { method: 'POST', body: form })
        return { status: response.status, body: (await response.text()).replaceAll(id, 'ID') }
      }),
    )
    expect(hidden).toEqual(missing)
    expect(hidden?.status).toBe(400)
  },
)
