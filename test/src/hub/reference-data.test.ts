import { namedGuid, sql } from '@keel/framework/data'
import {
  CodeEntityAppService,
  CodeEntityPermissions,
  CreditStatus,
  HubErrors,
  OrganizationAppService,
  type OrganizationDto,
  OrganizationPermissions,
  PortAppService,
  PortPermissions,
  ShipmentAppService,
} from '@keel/hub/contracts'
import { SuperUser } from '@keel/identity/contracts'
import {
  ChargeCodeAppService,
  ChargeGroup,
  CurrencyAppService,
  ExchangeRateAppService,
  ExchangeRateType,
  PricingErrors,
  RateBasis,
} from '@keel/pricing/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { addOrder, addShipments, hubOf, modeId, portId, storedRow } from '../support/hub-rows.js'
import { faultyMembers, send } from '../support/wire.js'

const nowhere = '00000000-0000-4000-8000-000000000001'

let app: App
/** Who may do everything here. */
let owner: AppCaller

beforeAll(async () => {
  app = await startApp()
  owner = await app.as({ roles: [SuperUser] })
})
afterAll(() => app.close())

describe('a port', () => {
  const port = { name: 'Vlaardingen', isSeaport: true, isAirport: false }
  let ports: PortAppService
  beforeAll(() => {
    ports = owner.service(PortAppService)
  })

  test('is created, with its country from its code', async () => {
    const created = await ports.create({
      ...port,
      unLocode: 'NLVLA',
      latitude: 51.9,
      timeZone: 'Europe/Amsterdam',
    })
    expect(created).toEqual({
      id: created.id,
      unLocode: 'NLVLA',
      name: 'Vlaardingen',
      countryCode: 'NL',
      iataCode: null,
      subdivisionCode: null,
      latitude: 51.9,
      longitude: null,
      timeZone: 'Europe/Amsterdam',
      isSeaport: true,
      isAirport: false,
      isActive: true,
    })
  })

  test('is found by its id, whoever of the customers asks', async () => {
    const reader = await app.as({ permissions: [PortPermissions.View] })
    expect(await reader.service(PortAppService).get(portId('NLRTM'))).toMatchObject({ unLocode: 'NLRTM' })
  })

  test('has a plain name and a classifier of functions', async () => {
    const { id } = await ports.create({
      unLocode: 'DEMUE',
      name: 'Mühlenhafen',
      isSeaport: true,
      isAirport: true,
    })
    expect(await storedRow(app, 'HubPorts', id)).toMatchObject({
      NameWoDiacritics: 'Muhlenhafen',
      FunctionCodes: '1--4----',
      CountryId: namedGuid('Country:DE'),
    })
  })

  test('keeps its other functions when it is changed', async () => {
    const { id } = await ports.create({ ...port, unLocode: 'NLRAI' })
    await hubOf(app).execute(
      sql`update "HubPorts" set "IsRailTerminal" = true, "FunctionCodes" = '12------' where "Id" = ${id}`,
    )
    await ports.update(id, { ...port, unLocode: 'NLRAI', isAirport: true })
    expect(await storedRow(app, 'HubPorts', id)).toMatchObject({
      IsRailTerminal: true,
      FunctionCodes: '12-4----',
    })
  })

  test('has a code that no other port has', async () => {
    await expect(ports.create({ ...port, unLocode: 'NLRTM' })).rejects.toMatchObject({
      status: 403,
      code: HubErrors.PortCodeAlreadyExists,
      message: 'There is already a port with the code NLRTM.',
    })
  })

  test.for(['NL', 'nlrtm', 'NLRT0', 'NLRT1', 'NLRTMX', 'N1RTM', ''])(
    'can not have the code %j',
    async (unLocode) => {
      const answer = await send(owner, 'POST', '/api/hub/port', { ...port, unLocode })
      expect({ status: answer.status, members: faultyMembers(answer) }).toEqual({
        status: 400,
        members: ['unLocode'],
      })
    },
  )

  test('can not lie in a country that does not exist', async () => {
    const answer = await send(owner, 'POST', '/api/hub/port', { ...port, unLocode: 'XXABC' })
    expect({ status: answer.status, members: faultyMembers(answer) }).toEqual({
      status: 400,
      members: ['unLocode'],
    })
  })

  test('must have a name, and a position on earth', async () => {
    const values = {
      unLocode: 'NLXYZ',
      name: ' ',
      latitude: 90.1,
      longitude: -180.1,
      iataCode: 'ab',
      isSeaport: 1,
    }
    const answer = await send(owner, 'POST', '/api/hub/port', values)
    expect(faultyMembers(answer)).toEqual([
      'iataCode',
      'isAirport',
      'isSeaport',
      'latitude',
      'longitude',
      'name',
    ])
  })

  test('keeps on a change what is absent, and loses what is null', async () => {
    const values = { ...port, unLocode: 'NLKEE', latitude: 51, longitude: 4 }
    const { id } = await ports.create(values)
    const changed = await ports.update(id, { ...port, unLocode: 'NLKEE', longitude: null })
    expect(changed).toMatchObject({ latitude: 51, longitude: null })
  })

  test('that is deleted is only deactivated: no list has it, its id and its code stay', async () => {
    const { id } = await ports.create({ ...port, unLocode: 'NLGON' })
    await ports.delete(id)
    const { totalCount } = await ports.getList({ filter: 'NLGON' })
    expect({ totalCount, row: await storedRow(app, 'HubPorts', id) }).toMatchObject({
      totalCount: 0,
      row: { IsActive: false, UnLocode: 'NLGON' },
    })
    expect((await ports.get(id)).unLocode).toBe('NLGON')
  })

  test('that was deleted is brought back by a change, and deactivated by none', async () => {
    const { id } = await ports.create({ ...port, unLocode: 'NLBCK' })
    await ports.delete(id)
    await ports.update(id, { ...port, unLocode: 'NLBCK', name: 'Still away' })
    const away = (await ports.getList({ filter: 'NLBCK' })).totalCount
    await ports.update(id, { ...port, unLocode: 'NLBCK', isActive: true })
    expect([away, (await ports.getList({ filter: 'NLBCK' })).totalCount]).toEqual([0, 1])
    const answer = await send(owner, 'PUT', `/api/hub/port/${id}`, {
      ...port,
      unLocode: 'NLBCK',
      isActive: false,
    })
    expect([answer.status, faultyMembers(answer)]).toEqual([400, ['isActive']])
    const inactive = await send(owner, 'POST', '/api/hub/port', {
      ...port,
      unLocode: 'NLBC2',
      isActive: false,
    })
    expect([inactive.status, faultyMembers(inactive)]).toEqual([400, ['isActive']])
  })

  test('that was deleted may be changed as it was read, and stays deactivated', async () => {
    const { id } = await ports.create({ ...port, unLocode: 'NLRDW' })
    await ports.delete(id)
    const read = await ports.get(id)
    const changed = await ports.update(id, { ...read, name: 'Read and written' })
    expect([read.isActive, changed.isActive, changed.name]).toEqual([false, false, 'Read and written'])
  })

  test('that was deleted is listed, and in the file, for those who ask for such', async () => {
    const [gone, there] = [
      await ports.create({ ...port, unLocode: 'NLAW2', name: 'Away two' }),
      await ports.create({ ...port, unLocode: 'NLAW3', name: 'Away three' }),
    ]
    await ports.delete(gone.id)
    const listed = async (query: string) => {
      const { body } = await send(owner, 'GET', `/api/hub/port?filter=Away%20t${query}`)
      return body.items.map(({ id }: { id: string }) => id)
    }
    expect(await listed('&isActive=false')).toEqual([gone.id])
    expect(await listed('&isActive=true')).toEqual([there.id])
    expect(await listed('')).toEqual([there.id])
    const file = await send(owner, 'GET', '/api/hub/port/as-csv-file?filter=Away%20t&isActive=false')
    expect([file.text.includes('NLAW2'), file.text.includes('NLAW3')]).toEqual([true, false])
    const offered = await send(owner, 'GET', '/api/hub/port/lookup?filter=Away%20t&isActive=false')
    expect(offered.body.map(({ id }: { id: string }) => id)).toEqual([there.id])
  })

  test('is listed with those that were deleted, in one order, counted, by pages and in the file, for those who ask for both', async () => {
    const named = ['NLBTA', 'NLBTB', 'NLBTC', 'NLBTD']
    for (const unLocode of named) await ports.create({ ...port, unLocode, name: `Both ${unLocode}` })
    for (const { id, unLocode } of (await ports.getList({ filter: 'Both NLBT' })).items)
      if (unLocode === 'NLBTA' || unLocode === 'NLBTC') await ports.delete(id)
    const both = { filter: 'Both NLBT', includeInactive: true, sorting: 'unLocode desc' }
    const listed = async (input: object) => {
      const { totalCount, items } = await ports.getList({ ...both, ...input })
      return [totalCount, ...items.map(({ unLocode, isActive }) => `${unLocode} ${isActive}`)]
    }
    const [a, b, c, d] = ['NLBTA false', 'NLBTB true', 'NLBTC false', 'NLBTD true']
    expect(await listed({})).toEqual([4, d, c, b, a])
    expect(await listed({ skipCount: 1, maxResultCount: 2 })).toEqual([4, c, b])
    expect(await listed({ sorting: 'isActive, unLocode' })).toEqual([4, a, c, b, d])
    expect(await listed({ isActive: false })).toEqual([2, c, a])
    expect(await listed({ isActive: true })).toEqual([2, d, b])
    const file = await send(
      owner,
      'GET',
      '/api/hub/port/as-csv-file?filter=Both%20NLBT&includeInactive=true&sorting=unLocode',
    )
    const [head = '', ...lines] = file.text.trim().split('\r\n')
    const state = head.split(',').indexOf('Active')
    expect(lines.map((line) => [line.slice(0, 5), line.split(',')[state]])).toEqual([
      ['NLBTA', 'No'],
      ['NLBTB', 'Yes'],
      ['NLBTC', 'No'],
      ['NLBTD', 'Yes'],
    ])
  })

  test.for([
    ['nlrtm', 'NLRTM'],
    ['otterda', 'NLRTM'],
    ['  Rotterdam ', 'NLRTM'],
  ] as const)('is listed for %j, contained in code or name', async ([filter, unLocode]) => {
    expect((await ports.getList({ filter })).items.map((item) => item.unLocode)).toContain(unLocode)
  })

  test.for(['%', '_____', '\\'])('is not listed for the wildcard %j', async (filter) => {
    expect((await ports.getList({ filter })).totalCount).toBe(0)
  })

  test('is listed by name, ten at a time', async () => {
    const { items } = await ports.getList({})
    const names = items.map(({ name }) => name)
    const [{ sorted } = { sorted: [] }] = await hubOf(app).query<{ sorted: string[] }>(
      sql`select array_agg(n order by n) as sorted from unnest(${names}::text[]) n`,
    )
    expect(names).toEqual(sorted)
    expect(names).toHaveLength(10)
  })

  test.for(['MaxResultCount=0', 'MaxResultCount=1001'])('is not listed with %s', async (query) => {
    expect((await send(owner, 'GET', `/api/hub/port?${query}`)).status).toBe(400)
  })
})

describe('a code entity', () => {
  let codes: CodeEntityAppService
  beforeAll(() => {
    codes = owner.service(CodeEntityAppService)
  })

  test('is created', async () => {
    const created = await codes.create({
      type: 'ServiceLevel',
      code: 'NIGHT',
      name: 'Overnight',
      sortOrder: 9,
    })
    expect(created).toEqual({
      id: created.id,
      type: 'ServiceLevel',
      code: 'NIGHT',
      name: 'Overnight',
      description: null,
      isActive: true,
    })
  })

  test('has a code that no other of its list has', async () => {
    await expect(codes.create({ type: 'TransportMode', code: 'Sea', name: 'Ocean' })).rejects.toMatchObject({
      status: 403,
      code: HubErrors.CodeEntityAlreadyExists,
      message: 'There is already a TransportMode with the code Sea.',
    })
  })

  test('may have the code of one of another list', async () => {
    expect(await codes.create({ type: 'PackageType', code: 'Sea', name: 'Sea box' })).toMatchObject({
      code: 'Sea',
    })
  })

  test('that is in use keeps its type and code', async () => {
    await addShipments(app, [{ TransportModeId: modeId('Sea') }])
    const renamed = { type: 'TransportMode', code: 'Ocean', name: 'Sea' }
    await expect(codes.update(modeId('Sea'), renamed)).rejects.toMatchObject({
      status: 403,
      code: HubErrors.CodeEntityInUse,
      data: { type: 'TransportMode', code: 'Sea' },
    })
  })

  test('that is in use may have another name and description', async () => {
    await addShipments(app, [{ TransportModeId: modeId('Road') }])
    const changed = { type: 'TransportMode', code: 'Road', name: 'By road', description: 'On wheels' }
    expect(await codes.update(modeId('Road'), changed)).toMatchObject(changed)
  })

  test('that is not in use may have another code', async () => {
    const { id } = await codes.create({ type: 'ServiceLevel', code: 'OLD', name: 'Old' })
    expect(await codes.update(id, { type: 'ServiceLevel', code: 'NEW', name: 'New' })).toMatchObject({
      code: 'NEW',
    })
  })

  test('keeps what is absent on a change', async () => {
    const { id } = await codes.create({
      type: 'ServiceLevel',
      code: 'KEEP',
      name: 'Keep',
      sortOrder: 5,
      standardCode: 'K',
    })
    await codes.update(id, { type: 'ServiceLevel', code: 'KEEP', name: 'Kept' })
    expect(await storedRow(app, 'HubCodeEntities', id)).toMatchObject({
      Name: 'Kept',
      SortOrder: 5,
      StandardCode: 'K',
    })
  })

  test('that is deleted is only deactivated, also while it is in use', async () => {
    const { id } = await codes.create({ type: 'ServiceLevel', code: 'GONE', name: 'Gone' })
    const [used = ''] = await addShipments(app, [{ ServiceLevelId: id }])
    await codes.delete(id)
    const { totalCount } = await codes.getList({ type: 'ServiceLevel', filter: 'GONE' })
    const { serviceLevel } = await owner.service(ShipmentAppService).get(used)
    expect({ totalCount, code: serviceLevel?.code }).toEqual({ totalCount: 0, code: 'GONE' })
    await codes.update(id, { type: 'ServiceLevel', code: 'GONE', name: 'Back', isActive: true })
    expect((await codes.getList({ type: 'ServiceLevel', filter: 'GONE' })).totalCount).toBe(1)
  })

  test.for(['TransportMode', 'transportmode'])('is listed by the type %s', async (type) => {
    const { items } = await codes.getList({ type, maxResultCount: 100 })
    expect(new Set(items.map((item) => item.type))).toEqual(new Set(['TransportMode']))
  })

  test('must have a type, a code and a name', async () => {
    const values = {
      type: 'Two words',
      code: '',
      name: 'x'.repeat(101),
      description: 'x'.repeat(501),
      sortOrder: 2 ** 31,
    }
    const answer = await send(owner, 'POST', '/api/hub/code-entity', values)
    expect(faultyMembers(answer)).toEqual(['code', 'description', 'name', 'sortOrder', 'type'])
  })

  test('that does not exist is not found', async () => {
    await expect(codes.get(nowhere)).rejects.toMatchObject({ status: 404 })
  })

  test('may not be created by a reader', async () => {
    const reader = await app.as({ permissions: [CodeEntityPermissions.View] })
    const created = reader
      .service(CodeEntityAppService)
      .create({ type: 'ServiceLevel', code: 'X', name: 'X' })
    await expect(created).rejects.toMatchObject({ status: 403, data: { PolicyName: 'CodeEntity.Create' } })
  })
})

describe('an organization', () => {
  let organizations: OrganizationAppService
  beforeAll(() => {
    organizations = owner.service(OrganizationAppService)
  })

  const create = (
    code: string,
    values: Partial<Parameters<OrganizationAppService['create']>[0]> = {},
  ): Promise<OrganizationDto> =>
    organizations.create({ code, fullName: `${code} Company`, countryCode: 'NL', ...values })

  /** A chain of organizations, each below the one before. */
  async function chain(prefix: string, length: number): Promise<OrganizationDto[]> {
    const made: OrganizationDto[] = []
    for (let level = 1; level <= length; level++) {
      made.push(await create(`${prefix}${level}`, { parentOrganizationId: made.at(-1)?.id ?? null }))
    }
    return made
  }

  const pathOf = async (id: string): Promise<string> => (await organizations.get(id)).hierarchyPath

  test('is created active, at the top and of open credit', async () => {
    expect(await create('FRESH', { isConsignee: true })).toMatchObject({
      code: 'FRESH',
      hierarchyPath: '/FRESH/',
      parentOrganizationId: null,
      isActive: true,
      isConsignee: true,
      isCarrier: false,
      creditStatus: CreditStatus.Open,
    })
  })

  test('below another has the path of both', async () => {
    const [, child] = await chain('PATH', 2)
    expect(child?.hierarchyPath).toBe('/PATH1/PATH2/')
  })

  test('has a code that no other living one has', async () => {
    await create('TWICE')
    await expect(create('TWICE')).rejects.toMatchObject({
      status: 403,
      code: HubErrors.OrganizationCodeAlreadyExists,
      message: 'There is already an organization with the code TWICE.',
    })
  })

  test('has an external id that no other has', async () => {
    await create('EXTONE', { externalId: 'crm-1' })
    await expect(create('EXTTWO', { externalId: 'crm-1' })).rejects.toMatchObject({
      code: HubErrors.OrganizationExternalIdAlreadyExists,
    })
  })

  test('must keep to the limits', async () => {
    const values = {
      code: 'lower',
      fullName: '',
      shortName: 'x'.repeat(51),
      countryCode: 'nl',
      eoriNumber: '12',
      dunsNumber: '12345678',
      defaultCurrencyCode: 'Euro',
      creditStatus: 3,
      parentOrganizationId: 'FRESH',
      isActive: 'perhaps',
    }
    const answer = await send(owner, 'POST', '/api/hub/organization', values)
    expect({ status: answer.status, members: faultyMembers(answer) }).toEqual({
      status: 400,
      members: Object.keys(values).sort(),
    })
  })

  test('can not have a credit status of null', async () => {
    const values = { code: 'NULLCREDIT', fullName: 'x', countryCode: 'NL', creditStatus: null }
    expect(faultyMembers(await send(owner, 'POST', '/api/hub/organization', values))).toEqual([
      'creditStatus',
    ])
  })

  test.for(['parentOrganizationId', 'closestPortId'])('can not have a %s of nothing', async (member) => {
    const values = { code: 'NOTHING', fullName: 'x', countryCode: 'NL', [member]: nowhere }
    const answer = await send(owner, 'POST', '/api/hub/organization', values)
    expect({ status: answer.status, members: faultyMembers(answer) }).toEqual({
      status: 400,
      members: [member],
    })
  })

  test('keeps on a change what is absent, and loses what is null', async () => {
    const { id } = await create('CHANGED', { shortName: 'Ch', taxNumber: '1', isBroker: true })
    const changed = await organizations.update(id, { taxNumber: null })
    expect(changed).toMatchObject({
      code: 'CHANGED',
      shortName: 'Ch',
      taxNumber: null,
      isBroker: true,
      isActive: true,
    })
  })

  test('that was changed meanwhile answers 409', async () => {
    const { id, concurrencyStamp } = await create('STAMPED')
    await organizations.update(id, { shortName: 'A', concurrencyStamp })
    await expect(organizations.update(id, { shortName: 'B', concurrencyStamp })).rejects.toMatchObject({
      status: 409,
    })
  })

  test('takes everything below along when it moves', async () => {
    const [top, middle, low] = await chain('MOVE', 3)
    const target = await create('MOVETO')
    await organizations.update(middle?.id ?? '', { parentOrganizationId: target.id })
    expect(await Promise.all([top, middle, low].map((one) => pathOf(one?.id ?? '')))).toEqual([
      '/MOVE1/',
      '/MOVETO/MOVE2/',
      '/MOVETO/MOVE2/MOVE3/',
    ])
  })

  test('never ends below itself, whoever else moves at the same time', async () => {
    for (const round of [1, 2, 3, 4, 5]) {
      const [one, other] = [await create(`ONE${round}`), await create(`OTHER${round}`)]
      const moves = await Promise.allSettled([
        organizations.update(one.id, { parentOrganizationId: other.id }),
        organizations.update(other.id, { parentOrganizationId: one.id }),
      ])
      const refused = moves.flatMap((move) => (move.status === 'rejected' ? [move.reason.code] : []))
      expect(refused).toEqual([HubErrors.OrganizationHierarchyCycle])
      const paths = await Promise.all([pathOf(one.id), pathOf(other.id)])
      expect([
        [`/ONE${round}/`, `/ONE${round}/OTHER${round}/`],
        [`/OTHER${round}/ONE${round}/`, `/OTHER${round}/`],
      ]).toContainEqual(paths)
    }
  })

  test('moves to the top when it loses its parent', async () => {
    const [, child, grand] = await chain('RISE', 3)
    await organizations.update(child?.id ?? '', { parentOrganizationId: null })
    expect(await pathOf(grand?.id ?? '')).toBe('/RISE2/RISE3/')
  })

  test('with another code gives everything below another path', async () => {
    const [top, child] = await chain('RENAME', 2)
    await organizations.update(top?.id ?? '', { code: 'RENAMED' })
    expect(await pathOf(child?.id ?? '')).toBe('/RENAMED/RENAME2/')
  })

  test('leaves one whose code begins alike where it is', async () => {
    const alike = await create('ALIKE1')
    const short = await create('ALIKE')
    await organizations.update(short.id, { code: 'UNLIKE' })
    expect(await pathOf(alike.id)).toBe('/ALIKE1/')
  })

  test('can not be below itself', async () => {
    const { id } = await create('SELF')
    await expect(organizations.update(id, { parentOrganizationId: id })).rejects.toMatchObject({
      status: 403,
      code: HubErrors.OrganizationHierarchyCycle,
    })
  })

  test('can not be below what is below it', async () => {
    const [top, , low] = await chain('CYCLE', 3)
    const moved = organizations.update(top?.id ?? '', { parentOrganizationId: low?.id ?? null })
    await expect(moved).rejects.toMatchObject({ code: HubErrors.OrganizationHierarchyCycle })
  })

  test('can be eight deep and no deeper', async () => {
    const made = await chain('DEEP', 8)
    await expect(create('DEEP9', { parentOrganizationId: made.at(-1)?.id ?? null })).rejects.toMatchObject({
      status: 403,
      code: HubErrors.OrganizationTooDeep,
    })
  })

  test('can not move where what is below it would be too deep', async () => {
    const [top] = await chain('TALL', 5)
    const target = (await chain('DOWN', 4)).at(-1)
    const moved = organizations.update(top?.id ?? '', { parentOrganizationId: target?.id ?? null })
    await expect(moved).rejects.toMatchObject({ code: HubErrors.OrganizationTooDeep })
  })

  test('that was refused a move is where it was', async () => {
    const [top, child] = await chain('STAY', 2)
    const moved = organizations.update(top?.id ?? '', {
      parentOrganizationId: child?.id ?? null,
      shortName: 'x',
    })
    await expect(moved).rejects.toMatchObject({ status: 403 })
    expect(await organizations.get(top?.id ?? '')).toEqual(top)
  })

  test('that is deleted is only marked, and its code is free again', async () => {
    const { id } = await create('FREED')
    await organizations.delete(id)
    expect(await storedRow(app, 'HubOrganizations', id)).toMatchObject({
      IsDeleted: true,
      DeleterId: owner.userId,
    })
    expect((await create('FREED')).id).not.toBe(id)
  })

  test.for([
    ['another is below it', (id: string) => create('USEDBELOW', { parentOrganizationId: id })],
    [
      'it is on a shipment',
      (id: string) => addShipments(app, [{ parties: [{ role: 4, organizationId: id }] }]),
    ],
    [
      'it buys',
      async (id: string) => addOrder(app, { BuyerId: id, SupplierId: (await create('USEDSELLS')).id }),
    ],
    [
      'it supplies',
      async (id: string) => addOrder(app, { SupplierId: id, BuyerId: (await create('USEDBUYS')).id }),
    ],
  ] as const)('can not be deleted while %s', async ([, use]) => {
    const { id } = await create(`USED${Math.floor(Math.random() * 1e9)}`)
    await use(id)
    await expect(organizations.delete(id)).rejects.toMatchObject({
      status: 403,
      code: HubErrors.OrganizationInUse,
    })
  })

  test('is listed for a part of its code or name, in any case', async () => {
    await create('LISTED', { fullName: 'Vereenigde Compagnie' })
    const found = await Promise.all(['liste', 'COMPAGNIE'].map((filter) => organizations.getList({ filter })))
    expect(found.map(({ items }) => items.map(({ code }) => code))).toEqual([['LISTED'], ['LISTED']])
  })

  test('may not be created by a customer', async () => {
    const customer = await app.as({
      permissions: [OrganizationPermissions.View, OrganizationPermissions.Edit],
    })
    const created = customer
      .service(OrganizationAppService)
      .create({ code: 'X1', fullName: 'x', countryCode: 'NL' })
    await expect(created).rejects.toMatchObject({ status: 403, data: { PolicyName: 'Organization.Create' } })
  })
})

describe('a currency', () => {
  let currencies: CurrencyAppService
  beforeAll(() => {
    currencies = owner.service(CurrencyAppService)
  })
  const idOf = (code: string) => namedGuid(`Currency:${code}`)

  test('is created, changed and read', async () => {
    const made = await currencies.create({
      code: 'XKL',
      numericCode: '801',
      name: 'Keel',
      minorUnits: 2,
      symbol: 'K',
    })
    const changed = await currencies.update(made.id, {
      code: 'XKL',
      numericCode: '801',
      name: 'Keels',
      minorUnits: 3,
    })
    expect(changed).toEqual({ ...made, name: 'Keels', minorUnits: 3 })
    expect(await currencies.get(made.id)).toEqual(changed)
  })

  test('has a code that no other has', async () => {
    const again = { code: 'EUR', numericCode: '978', name: 'Euro', minorUnits: 2 }
    await expect(currencies.create(again)).rejects.toMatchObject({
      status: 403,
      code: PricingErrors.CurrencyAlreadyExists,
    })
  })

  test('must keep to the limits', async () => {
    const values = { code: 'EURO', numericCode: '97', name: '', minorUnits: 5, symbol: '€€€€€€' }
    const answer = await send(owner, 'POST', '/api/pricing/currency', values)
    expect(faultyMembers(answer)).toEqual(['code', 'minorUnits', 'name', 'numericCode', 'symbol'])
  })

  test('that rates are in keeps its code', async () => {
    const rates = owner.service(ExchangeRateAppService)
    const rate = {
      fromCurrencyCode: 'NOK',
      toCurrencyCode: 'SEK',
      rateDate: '2026-11-02',
      rate: 1,
      source: 'ECB',
    }
    await rates.create(rate)
    const renamed = { code: 'XNO', numericCode: '578', name: 'Krone', minorUnits: 2 }
    await expect(currencies.update(idOf('NOK'), renamed)).rejects.toMatchObject({
      status: 403,
      code: PricingErrors.CurrencyInUse,
    })
  })

  test('that is deleted is only deactivated', async () => {
    await currencies.delete(idOf('ZWG'))
    const { totalCount } = await currencies.getList({ filter: 'ZWG' })
    expect({ totalCount, code: (await currencies.get(idOf('ZWG'))).code }).toEqual({
      totalCount: 0,
      code: 'ZWG',
    })
    await currencies.update(idOf('ZWG'), { ...(await currencies.get(idOf('ZWG'))), isActive: true })
    expect((await currencies.getList({ filter: 'ZWG' })).totalCount).toBe(1)
  })

  test('is listed by code', async () => {
    const codes = (await currencies.getList({ maxResultCount: 1000 })).items.map(({ code }) => code)
    expect(codes).toEqual([...codes].sort())
    expect(codes.length).toBeGreaterThan(150)
  })
})

describe('an exchange rate', () => {
  let rates: ExchangeRateAppService
  let day = 0
  beforeAll(() => {
    rates = owner.service(ExchangeRateAppService)
  })

  /** A rate of a day that no other has. */
  const rate = (values: Partial<Parameters<ExchangeRateAppService['create']>[0]> = {}) => ({
    fromCurrencyCode: 'EUR',
    toCurrencyCode: 'USD',
    rateDate: new Date(Date.UTC(2020, 0, ++day)).toISOString().slice(0, 10),
    rate: '1.08',
    source: 'ECB',
    ...values,
  })

  test('is of the middle of the market unless its kind is given', async () => {
    const made = await rates.create(rate({ rateDate: '2026-11-20' }))
    expect(made).toMatchObject({ rateType: ExchangeRateType.Mid, rateDate: '2026-11-20', source: 'ECB' })
  })

  test.for(['0.00000001', '1234567890.12345678', '9999999999.99999999', '1.10000000', '0.1', '7'])(
    'of %s is kept to the last digit',
    async (value) => {
      const { status, text, body } = await send(
        owner,
        'POST',
        '/api/pricing/exchange-rate',
        rate({ rate: value }),
      )
      const again = await send(owner, 'GET', `/api/pricing/exchange-rate/${body.id}`)
      const written = /"rate":([\d.]+)/
      const plain = (number = '') =>
        number.includes('.') ? number.replace(/0+$/, '').replace(/\.$/, '') : number
      expect([status, plain(written.exec(text)?.[1]), plain(written.exec(again.text)?.[1])]).toEqual([
        200,
        plain(value),
        plain(value),
      ])
    },
  )

  test('of a JSON number is kept too', async () => {
    const { text } = await send(owner, 'POST', '/api/pricing/exchange-rate', rate({ rate: 0.00012345 }))
    expect(text).toContain('"rate":0.00012345')
  })

  test.for([0, -1, '0.000000001', '1.123456789', '10000000000', '1e3', 'much', '', null, true, [1]])(
    'can not be %o',
    async (value) => {
      const answer = await send(owner, 'POST', '/api/pricing/exchange-rate', { ...rate(), rate: value })
      expect({ status: answer.status, members: faultyMembers(answer) }).toEqual({
        status: 400,
        members: ['rate'],
      })
    },
  )

  test.for(['2026-02-30', '20-11-2026', '2026-11-20T00:00:00Z', 20261120, null])(
    'can not be of the day %o',
    async (rateDate) => {
      const answer = await send(owner, 'POST', '/api/pricing/exchange-rate', { ...rate(), rateDate })
      expect({ status: answer.status, members: faultyMembers(answer) }).toEqual({
        status: 400,
        members: ['rateDate'],
      })
    },
  )

  test('is the only one of its pair, kind and day', async () => {
    const one = rate()
    await rates.create(one)
    await expect(rates.create({ ...one, rate: 2 })).rejects.toMatchObject({
      status: 403,
      code: PricingErrors.ExchangeRateDuplicate,
    })
  })

  test('may be one of another kind on the same day', async () => {
    const one = rate()
    await rates.create(one)
    expect(await rates.create({ ...one, rateType: ExchangeRateType.Sell })).toMatchObject({ rateType: 2 })
  })

  test('is between two currencies', async () => {
    const answer = await send(owner, 'POST', '/api/pricing/exchange-rate', rate({ toCurrencyCode: 'EUR' }))
    expect({ status: answer.status, members: faultyMembers(answer) }).toEqual({
      status: 400,
      members: ['toCurrencyCode'],
    })
  })

  test('is of currencies that exist', async () => {
    await expect(rates.create(rate({ toCurrencyCode: 'QQQ' }))).rejects.toMatchObject({
      status: 403,
      code: PricingErrors.CurrencyUnknown,
      data: { code: 'QQQ' },
    })
  })

  test('keeps its kind on a change that does not say one', async () => {
    const one = rate({ rateType: ExchangeRateType.Buy })
    const { id } = await rates.create(one)
    const { rateType: _, ...others } = one
    expect(await rates.update(id, { ...others, rate: '1.5' })).toMatchObject({
      rateType: ExchangeRateType.Buy,
    })
  })

  test('that was changed meanwhile answers 409', async () => {
    const one = rate()
    const { id, concurrencyStamp } = await rates.create(one)
    await rates.update(id, { ...one, rate: 2, concurrencyStamp })
    await expect(rates.update(id, { ...one, rate: 3, concurrencyStamp })).rejects.toMatchObject({
      status: 409,
    })
  })

  test('that is deleted leaves its place to another', async () => {
    const one = rate()
    const { id } = await rates.create(one)
    await rates.delete(id)
    await expect(rates.get(id)).rejects.toMatchObject({ status: 404 })
    expect((await rates.create(one)).id).not.toBe(id)
  })

  test('is listed latest first', async () => {
    const days = (await rates.getList({ maxResultCount: 1000 })).items.map(({ rateDate }) => rateDate)
    expect(days).toEqual([...days].sort().reverse())
  })
})

describe('a charge code', () => {
  let charges: ChargeCodeAppService
  beforeAll(() => {
    charges = owner.service(ChargeCodeAppService)
  })
  const everywhere = { appliesToSea: true, appliesToAir: true, appliesToRoad: false, appliesToRail: false }
  const charge = {
    name: 'Charge',
    chargeGroup: ChargeGroup.Other,
    defaultBasis: RateBasis.PerShipment,
    ...everywhere,
  }

  test('is created, not taxable unless it says so', async () => {
    const made = await charges.create({ ...charge, code: 'NEWCHARGE' })
    expect(made).toEqual({
      id: made.id,
      ...charge,
      code: 'NEWCHARGE',
      uneceCode: null,
      isTaxable: false,
      sortOrder: 0,
      isActive: true,
    })
  })

  test('has a code that no other has', async () => {
    await charges.create({ ...charge, code: 'TWICE' })
    await expect(charges.create({ ...charge, code: 'TWICE' })).rejects.toMatchObject({
      status: 403,
      code: PricingErrors.ChargeCodeAlreadyExists,
    })
  })

  test('keeps on a change what is absent', async () => {
    const { id } = await charges.create({
      ...charge,
      code: 'KEPT',
      isTaxable: true,
      sortOrder: 7,
      uneceCode: '101001',
    })
    const changed = await charges.update(id, { ...charge, code: 'KEPT', name: 'Renamed' })
    expect(changed).toMatchObject({ name: 'Renamed', isTaxable: true, sortOrder: 7, uneceCode: '101001' })
  })

  test('takes the names of enumerations', async () => {
    const values = { ...charge, code: 'NAMES', chargeGroup: 'surcharge', defaultBasis: 'PerTeu' }
    const { body } = await send(owner, 'POST', '/api/pricing/charge-code', values)
    expect(body).toMatchObject({ chargeGroup: ChargeGroup.Surcharge, defaultBasis: RateBasis.PerTeu })
  })

  test('must keep to the limits', async () => {
    const values = {
      ...charge,
      code: 'too long code',
      chargeGroup: 7,
      defaultBasis: null,
      uneceCode: '1',
      isTaxable: 'x',
    }
    const answer = await send(owner, 'POST', '/api/pricing/charge-code', values)
    expect(faultyMembers(answer)).toEqual(['chargeGroup', 'code', 'defaultBasis', 'isTaxable', 'uneceCode'])
  })

  test('that is deleted is only deactivated', async () => {
    const { id } = await charges.create({ ...charge, code: 'GONE' })
    await charges.delete(id)
    expect(await charges.getList({ filter: 'GONE' })).toMatchObject({ totalCount: 0, items: [] })
    expect(await charges.get(id)).toMatchObject({ code: 'GONE' })
    await charges.update(id, { ...charge, code: 'GONE', isActive: true })
    expect((await charges.getList({ filter: 'GONE' })).totalCount).toBe(1)
  })
})
