import { expect, test } from 'vitest'
import type { HostContract, OperationContract } from './contract.js'
import { contractChanges, versionStep } from './contract-diff.js'
import { type Schema, schemaChanges } from './schema-diff.js'

const changesOf = (direction: 'sent' | 'received', before: Schema, after: Schema) =>
  schemaChanges({ before, after, schemasBefore: {}, schemasAfter: {} }, direction, 'x').map(
    ({ isBreaking, where, what }) => `${isBreaking ? '!' : ''}${where} ${what}`,
  )

const object = (properties: Record<string, Schema>, required: string[] = []): Schema => ({
  type: 'object',
  properties,
  required,
})
const text: Schema = { type: 'string' }

test.each<[string, Schema, Schema, sent: string[], received: string[]]>([
  ['nothing', text, text, [], []],
  [
    'a number for an integer',
    { type: 'integer' },
    { type: 'number' },
    ['x type integer → number'],
    ['!x type integer → number'],
  ],
  ['a text for a number', { type: 'number' }, text, ['!x type number → string'], ['!x type number → string']],
  ['null besides', text, { anyOf: [text, { type: 'null' }] }, ['x may be null now'], ['!x may be null now']],
  [
    'no null any more',
    { type: ['string', 'null'] },
    text,
    ['!x may no longer be null'],
    ['x may no longer be null'],
  ],
  ['a value less', { enum: [1, 2] }, { enum: [1] }, ['!x loses the values 2'], ['x loses the values 2']],
  ['a value more', { enum: [1] }, { enum: [1, 2] }, ['x gets the values 2'], ['x gets the values 2']],
  [
    'a list of values only',
    text,
    { type: 'string', enum: ['a'] },
    ['!x takes a list of values only now'],
    ['x takes a list of values only now'],
  ],
  ['a shorter text', { maxLength: 9 }, { maxLength: 5 }, ['!x maxLength 9 → 5'], ['x maxLength 9 → 5']],
  ['a longer text', { maxLength: 5 }, { maxLength: 9 }, ['x maxLength 5 → 9'], ['x maxLength 5 → 9']],
  ['a higher minimum', { minimum: 0 }, { minimum: 1 }, ['!x minimum 0 → 1'], ['x minimum 0 → 1']],
  [
    'another format',
    { format: 'date' },
    { format: 'date-time' },
    ['!x format "date" → "date-time"'],
    ['!x format "date" → "date-time"'],
  ],
  ['a member more', object({}), object({ a: text }), ['x.a is new'], ['x.a is new']],
  [
    'a demanded member more',
    object({}),
    object({ a: text }, ['a']),
    ['!x.a is new and must be there'],
    ['x.a is new'],
  ],
  ['a member less', object({ a: text }), object({}), ['!x.a is no longer read'], ['!x.a is gone']],
  [
    'a member that may be missing',
    object({ a: text }, ['a']),
    object({ a: text }),
    ['x.a may be missing now'],
    ['!x.a may be missing now'],
  ],
  [
    'a member that must be there',
    object({ a: text }),
    object({ a: text }, ['a']),
    ['!x.a must be there now'],
    ['x.a must be there now'],
  ],
  [
    'items of another type',
    { type: 'array', items: text },
    { type: 'array', items: { type: 'number' } },
    ['!x[] type string → number'],
    ['!x[] type string → number'],
  ],
  [
    'values of a map',
    { additionalProperties: text },
    { additionalProperties: { type: 'number' } },
    ['!x[*] type string → number'],
    ['!x[*] type string → number'],
  ],
])('a schema with %s', (_, before, after, sent, received) => {
  expect(changesOf('sent', before, after)).toEqual(sent)
  expect(changesOf('received', before, after)).toEqual(received)
})

test('schemas that refer to themselves are compared to their end', () => {
  const tree = (leaf: Schema): Schema =>
    object({ value: leaf, children: { type: 'array', items: { $ref: '#/components/schemas/Tree' } } })
  const changes = schemaChanges(
    {
      before: { $ref: '#/components/schemas/Tree' },
      after: { $ref: '#/components/schemas/Tree' },
      schemasBefore: { Tree: tree(text) },
      schemasAfter: { Tree: tree({ type: 'number' }) },
    },
    'received',
    'x',
  )
  expect(changes).toEqual([{ isBreaking: true, where: 'received Tree.value', what: 'type string → number' }])
})

const operation: OperationContract = {
  parameters: [
    { name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } },
    { name: 'Sorting', in: 'query', schema: text },
  ],
  requestBody: { content: { 'application/json': { schema: object({ name: text }, ['name']) } } },
  responses: {
    '200': { content: { 'application/json': { schema: object({ id: text }, ['id']) } } },
    '404': {},
  },
}

const contract: HostContract = {
  keelContract: 1,
  host: 'ApiHost',
  version: '1.0.0',
  paths: { '/api/hub/port/{id}': { put: operation } },
  schemas: {},
  callers: { 'PUT /api/hub/port/{id}': 'Port.Edit' },
  permissions: { 'Port.Edit': { parent: null, providers: [] } },
  settings: { 'Abp.Timing.TimeZone': { default: 'UTC', isVisibleToClients: true } },
  features: {},
  entitySets: {
    Ports: {
      permission: 'Port.View',
      keys: ['Id'],
      properties: { Id: { type: 'Guid', nullable: false }, Name: { type: 'String', nullable: false } },
      navigations: { Country: { target: 'Countries', collection: false } },
    },
  },
  events: { 'Hub.Port.Closed': object({ portId: text }, ['portId']) },
}

function told(change: (draft: ReturnType<typeof structuredClone<HostContract>>) => void): string[] {
  const after = structuredClone(contract) as HostContract
  change(after as never)
  return contractChanges(contract, after).map(
    ({ isBreaking, where, what }) => `${isBreaking ? '!' : ''}${where}: ${what}`,
  )
}

// biome-ignore lint/suspicious/noExplicitAny: drafts are written to where contracts are read
const releases: [string, (draft: any) => void, string[]][] = [
  ['nothing', () => undefined, []],
  [
    'a path parameter of another name',
    (d) => {
      d.paths['/api/hub/port/{portId}'] = d.paths['/api/hub/port/{id}']
      delete d.paths['/api/hub/port/{id}']
      d.callers['PUT /api/hub/port/{portId}'] = 'Port.Edit'
      d.paths['/api/hub/port/{portId}'].put.parameters[0].name = 'portId'
    },
    [],
  ],
  ['no operation', (d) => delete d.paths['/api/hub/port/{id}'], ['!operation PUT /api/hub/port/{}: is gone']],
  [
    'an operation more',
    (d) => {
      d.paths['/api/hub/port'] = { get: operation }
    },
    ['operation GET /api/hub/port: is new'],
  ],
  [
    'other callers',
    (d) => {
      d.callers['PUT /api/hub/port/{id}'] = 'Port.Manage'
    },
    ['!operation PUT /api/hub/port/{}: callers "Port.Edit" → "Port.Manage"'],
  ],
  [
    'a query parameter less',
    (d) => d.paths['/api/hub/port/{id}'].put.parameters.pop(),
    ['!operation PUT /api/hub/port/{} parameter query Sorting: is gone'],
  ],
  [
    'a query parameter more',
    (d) => d.paths['/api/hub/port/{id}'].put.parameters.push({ name: 'At', in: 'query', schema: text }),
    ['operation PUT /api/hub/port/{} parameter query At: is new'],
  ],
  [
    'a demanded query parameter more',
    (d) =>
      d.paths['/api/hub/port/{id}'].put.parameters.push({
        name: 'At',
        in: 'query',
        required: true,
        schema: text,
      }),
    ['!operation PUT /api/hub/port/{} parameter query At: is new'],
  ],
  [
    'an answer that tells less',
    (d) => {
      d.paths['/api/hub/port/{id}'].put.responses['200'].content['application/json'].schema.properties = {}
    },
    ['!operation PUT /api/hub/port/{} 200.id: is gone'],
  ],
  [
    'no answer of a status',
    (d) => {
      d.paths['/api/hub/port/{id}'].put.responses = { '204': {} }
    },
    ['!operation PUT /api/hub/port/{}: no longer answers 200'],
  ],
  ['an error less', (d) => delete d.paths['/api/hub/port/{id}'].put.responses['404'], []],
  ['no permission', (d) => delete d.permissions['Port.Edit'], ['!permission Port.Edit: is gone']],
  [
    'a permission for fewer',
    (d) => {
      d.permissions['Port.Edit'].providers = ['R']
    },
    ['!permission Port.Edit: can only be granted to R now'],
  ],
  [
    'a setting that clients no longer see',
    (d) => {
      d.settings['Abp.Timing.TimeZone'].isVisibleToClients = false
    },
    ['!setting Abp.Timing.TimeZone: is no longer visible to clients'],
  ],
  [
    'another default',
    (d) => {
      d.settings['Abp.Timing.TimeZone'].default = 'Europe/Berlin'
    },
    ['setting Abp.Timing.TimeZone: default "UTC" → "Europe/Berlin"'],
  ],
  [
    'a property of another type',
    (d) => {
      d.entitySets.Ports.properties.Name = { type: 'Int32', nullable: true }
    },
    [
      '!entity set Ports property Name: type "String" → "Int32"',
      '!entity set Ports property Name: may be null now',
    ],
  ],
  [
    'no navigation',
    (d) => {
      d.entitySets.Ports.navigations = {}
    },
    ['!entity set Ports navigation property Country: is gone'],
  ],
  [
    'an event that tells less',
    (d) => {
      d.events['Hub.Port.Closed'].properties = {}
    },
    ['!event Hub.Port.Closed.portId: is gone'],
  ],
]

test.each(releases)('a release with %s is told', (_, change, changes) => {
  expect(told(change)).toEqual(changes)
})

test.each([
  ['breaks', false, 'major'],
  ['breaks', true, 'minor'],
  ['adds', false, 'minor'],
  ['adds', true, 'patch'],
  ['changes nothing', false, 'patch'],
] as const)('a release that %s, before 1.0: %s, asks for a %s step', (what, isBeforeOne, step) => {
  const changes = what === 'changes nothing' ? [] : [{ isBreaking: what === 'breaks', where: 'x', what }]
  expect(versionStep(changes, isBeforeOne)).toBe(step)
})
