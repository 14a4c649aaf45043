import {
  type AnyDto,
  type ContractOperation,
  dtoOf,
  featureOf,
  fieldsOf,
  filesOf,
  fileTypesOf,
  filterFieldsOf,
  isDto,
  ownFieldsOf,
  type Parameter,
  pascalCase,
  type RemoteService,
  takesIdempotencyKey,
  unwrap,
  walkSchema,
  wireKind,
  z,
} from '../../contracts/index.js'
import type { Application, LocalService } from '../../modularity/application.js'
import type { ContractTexts } from '../../modularity/contract-texts.js'
import type { OwnFields } from '../../modularity/own-fields.js'
import { requiredFeatures } from '../../modularity/required-feature.js'
import { type Tsdoc, wholeText } from '../../modularity/tsdoc.js'
import { ApiKeySource } from '../../security/api-keys.js'
import { type Guard, guardOf } from '../../security/guards.js'
import { AuthServer } from '../../security/token-verifier.js'
import { collectDtos, ownerOf } from '../server/schema-walk.js'
import {
  errorName,
  errorResponses,
  errorSchemas,
  everyAnswersHeaders,
  headerComponents,
  headerRef,
} from './openapi-errors.js'
import { exampleMaker } from './openapi-examples.js'
import { describeDto, describeEnumeration, describeMember } from './openapi-texts.js'
import { capital, titlesOf, withNames, words } from './openapi-titles.js'

type Json = Record<string, unknown>
type Direction = 'input' | 'output'

/** The title and texts of a host in its OpenAPI document. */
export interface DocumentOptions {
  readonly title: string
  readonly version: string
  readonly selfUrl: string
  /** The TSDoc of the contracts, for documents that people read. */
  readonly texts?: ContractTexts
}

/**
 * The OpenAPI 3.1 document of everything a host serves, made from the contracts. Deterministic: the same
 * modules give the same text.
 */
export function openApiDocument(application: Application, options: DocumentOptions): Json {
  const services = [...application.localServices].sort((a, b) => tagOf(a).localeCompare(tagOf(b)))
  const { texts } = options
  const names = schemaNames(services)
  const schemas = { ...componentSchemas(names, texts), ...errorSchemas }
  const takesApiKeys = application.find(ApiKeySource) !== undefined
  const hasOData = application.modules.some(({ name }) => name === 'OData')
  const { authority } = application.configuration.read(AuthServer)
  return {
    openapi: '3.1.0',
    info: {
      title: options.title,
      version: options.version,
      description: [
        'REST endpoints of the application services. Send a bearer token of the authentication server, or sign in on this page.',
        ...(hasOData
          ? [
              'What is listed here can also be queried by OData at `/odata`, which describes itself at `/odata/$metadata`.',
            ]
          : []),
      ].join(' '),
      contact: { name: 'Keel contributors' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    ...(hasOData && {
      externalDocs: {
        description: 'The entity sets of the OData layer',
        url: `${options.selfUrl.replace(/\/+$/, '')}/odata/$metadata`,
      },
    }),
    // Relative, so that it holds behind every address that the host is reached at.
    servers: [{ url: new URL(options.selfUrl).pathname.replace(/\/+$/, '') || '/' }],
    tags: tagObjects(services, texts),
    'x-tagGroups': tagGroups(services),
    paths: pathsOf(services, {
      ownFields: application.ownFields,
      names,
      texts,
      exampleOf: exampleMaker(schemas),
      security: takesApiKeys ? [...signedIn, { apiKey: [] }] : signedIn,
      takesKeys: application.interceptors.some(({ step }) => step === 'idempotency key'),
    }),
    components: {
      schemas,
      headers: headerComponents,
      responses: errorResponses(),
      securitySchemes: {
        oauth2: {
          type: 'oauth2',
          flows: {
            authorizationCode: {
              authorizationUrl: `${authority.replace(/\/+$/, '')}/connect/authorize`,
              tokenUrl: `${authority.replace(/\/+$/, '')}/connect/token`,
              scopes: { Core: 'Core API' },
            },
          },
        },
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        ...(takesApiKeys && { apiKey: apiKeyScheme }),
      },
    },
  }
}

function tagObjects(services: readonly LocalService[], texts: ContractTexts | undefined): Json[] {
  return services.map((local) => {
    const doc = texts?.ofService(local)
    const { title } = titlesOf(local.contract.contract)
    return {
      name: tagOf(local),
      'x-displayName': title,
      description: (doc && wholeText(doc)) || `Operations of ${local.contract.contract.name}.`,
    }
  })
}

/** The tags of each module, for documents that show them under its name. */
function tagGroups(services: readonly LocalService[]): Json[] {
  const groups = new Map<string, string[]>()
  for (const local of services) {
    const { group } = titlesOf(local.contract.contract)
    groups.set(group, [...(groups.get(group) ?? []), tagOf(local)])
  }
  return [...groups].map(([name, tags]) => ({ name, tags }))
}

const signedIn: readonly Json[] = [{ oauth2: ['Core'] }, { bearer: [] }]
const apiKeyScheme = {
  type: 'apiKey',
  in: 'header',
  name: 'X-Api-Key',
  description: 'A key of a user, for machines. It may do what both its user and it itself were granted.',
}

/** The context in which the parts of the document are made. */
interface Making {
  readonly names: SchemaNames
  readonly texts: ContractTexts | undefined
  /** An example of a schema. */
  readonly exampleOf: (schema: Json) => unknown
  /** The schemes of what is not open to everybody. */
  readonly security: readonly Json[]
  /** True where creations honour an `Idempotency-Key`. */
  readonly takesKeys: boolean
  readonly ownFields: OwnFields
}

function pathsOf(services: readonly LocalService[], making: Making): Json {
  const paths: Record<string, Json> = {}
  for (const local of services) {
    for (const operation of local.contract.contract.operations.values()) {
      const { path, verb } = operation.route
      paths[path] = { ...paths[path], [verb.toLowerCase()]: operationObject(local, operation, making) }
    }
  }
  return Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function operationObject(local: LocalService, operation: ContractOperation, making: Making): Json {
  const guard = guardOf(local.service, operation.name)
  const features = requiredFeatures(local.service, operation.name)
  const { sources, verb } = operation.route
  const titles = titlesOf(local.contract.contract)
  const doc = making.texts?.ofOperation(local, operation.name)
  const parameters = operation.parameters.flatMap((parameter, index) =>
    parameterObjects(parameter, sources[index], making, {
      description:
        making.texts?.ofParameter(local, operation.name, parameter.name) ??
        (sources[index] === 'path' ? pathText(parameter, titles.one) : undefined),
    }),
  )
  const body = operation.parameters.find((_, index) => isBody(sources[index]))
  const isAnonymous = guard?.kind === 'anonymous'
  const takesKey = making.takesKeys && !isAnonymous && takesIdempotencyKey(operation)
  if (takesKey) parameters.push(idempotencyKeyParameter)
  return {
    operationId: `${operationPrefix(local)}_${operation.name}`,
    summary: doc?.summary ? withNames(doc.summary, titles) : capital(words(operation.name)),
    description: [
      ...(doc?.details ? [doc.details] : []),
      ...(doc?.deprecated ? [`Deprecated: ${doc.deprecated}`] : []),
      whoMayCall(guard),
      ...features.map((name) => `Refused while the feature \`${name}\` is off.`),
    ].join(' '),
    tags: [tagOf(local)],
    ...(doc?.deprecated !== undefined && { deprecated: true }),
    ...(parameters.length && { parameters }),
    ...(body && {
      requestBody: {
        required: true,
        content: {
          [bodyType(body)]: filesOf(body).length
            ? { schema: schemaOf(body.schema, making.names, 'input', making.texts) }
            : withExample(schemaOf(body.schema, making.names, 'input', making.texts), making),
        },
      },
    }),
    responses: { ...successResponse(operation, making, doc), ...failureResponses() },
    security: isAnonymous ? [] : making.security,
  }

  function failureResponses(): Json {
    const statuses = ['429', '500', '503']
    if (operation.parameters.length) statuses.push('400')
    if (!isAnonymous || takesGuardedFields(operation, making)) statuses.push('401')
    // A value of its own names a thing, in the path or in the query; so does a GUID wherever it stands.
    const namesThing = operation.parameters.some(
      ({ dto, schema }, index) => (!dto && !isBody(sources[index])) || hasGuid(schema),
    )
    if (namesThing) statuses.push('404')
    // A permitted caller may still be refused by a rule of the domain: a token is not valid, registering is
    // off.
    if (!isAnonymous || features.length || verb !== 'GET' || namesThing) statuses.push('403')
    const takesIds = operation.parameters.some(
      ({ dto, schema }, index) => isBody(sources[index]) && !dto && hasGuid(schema),
    )
    const changesRows = verb === 'POST' && (sources.includes('path') || takesIds)
    if (changesRows || verb === 'PUT' || verb === 'DELETE' || verb === 'PATCH') statuses.push('409')
    if (takesKey) statuses.push('409', '422')
    if (body) statuses.push('413', '415')
    if (fileTypesOf(operation)) statuses.push('416')
    return Object.fromEntries(
      statuses.sort().map((status) => [status, { $ref: `#/components/responses/${errorName(status)}` }]),
    )
  }
}

const idempotencyKeyParameter: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Names this creation, by a text that the caller makes up, e.g. a new GUID: for a day the same key with the same input creates nothing, and gives the answer of the first time.',
  required: false,
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}

/** True where an input takes own fields that need a permission: callers who are not signed in are refused for them. */
function takesGuardedFields({ parameters }: ContractOperation, { ownFields }: Making): boolean {
  const members = parameters.flatMap(({ dto }) => (dto ? fieldsOf(dto) : []))
  return members.some(([, schema]) =>
    ownFields
      .of(ownFieldsOf(schema) ?? '')
      .some(({ permission, writePermission }) => permission !== undefined || writePermission !== undefined),
  )
}

function hasGuid(schema: z.ZodType): boolean {
  let found = false
  walkSchema(schema, ({ _zod: { def } }) => {
    found ||= /^(guid|uuid)$/.test((def as { format?: string }).format ?? '')
  })
  return found
}

const isBody = (source: string | undefined): boolean => source === 'body' || source === 'form'

function bodyType(body: Parameter): string {
  return filesOf(body).length ? 'multipart/form-data' : 'application/json'
}

function successResponse(operation: ContractOperation, making: Making, doc: Tsdoc | undefined): Json {
  const { result, hasEntityTag } = operation
  const fileTypes = fileTypesOf(operation)
  if (fileTypes) return fileResponses(fileTypes)
  if (!result) return { '204': { description: 'Done; no content.', headers: everyAnswersHeaders } }
  const shape = isDto(result) ? result.schema : result
  const media = withExample(schemaOf(shape, making.names, 'output', making.texts), making)
  const isNullable = shape.safeParse(null).success
  const headers = { ...everyAnswersHeaders, ...(hasEntityTag && { ETag: headerRef('EntityTag') }) }
  const content = { ...(isText(shape) && { 'text/plain': media }), 'application/json': media }
  return {
    '200': { description: doc?.returns ?? 'Done.', headers, content },
    ...(isNullable && { '204': { description: 'There is none; no content.', headers: everyAnswersHeaders } }),
    ...(hasEntityTag && { '304': { description: 'What `If-None-Match` names is still so.', headers } }),
  }
}

/** A text goes out as it is, unless the caller takes nothing but JSON. */
export function isText(schema: z.ZodType): boolean {
  return unwrap(schema)._zod.def.type === 'string' && wireKind(schema) === undefined
}

function withExample(schema: Json, { exampleOf }: Making): Json {
  return { schema, example: exampleOf(schema) }
}

function fileResponses(mediaTypes: readonly string[]): Json {
  const types = mediaTypes.length ? mediaTypes : ['*/*']
  const content = Object.fromEntries(types.map((type) => [type, { schema: binary }]))
  const text = (description: string): Json => ({ description, schema: { type: 'string' } })
  const headers = {
    ...everyAnswersHeaders,
    ETag: text('For `If-None-Match` of the next call.'),
    'Last-Modified': text('For `If-Modified-Since` of the next call.'),
    'Content-Disposition': text('The name of the file (RFC 6266).'),
    'Accept-Ranges': text('`bytes` where a part may be asked for by `Range`.'),
  }
  return {
    '200': { description: 'The file.', headers, content },
    '206': {
      description: 'The part of the file that `Range` asks for.',
      headers: { ...headers, 'Content-Range': text('Which part it is.') },
      content,
    },
    '304': {
      description: 'The caller has the file already.',
      headers: { ...everyAnswersHeaders, ETag: headers.ETag },
    },
  }
}

const binary = { type: 'string', format: 'binary' }

function parameterObjects(
  parameter: Parameter,
  source: string | undefined,
  making: Making,
  { description }: { readonly description: string | undefined },
): Json[] {
  const { name, schema, dto } = parameter
  if (isBody(source)) return []
  const described = description ? { description } : {}
  if (source === 'path')
    return [
      {
        name,
        in: 'path',
        ...described,
        required: true,
        ...withExample(schemaOf(schema, making.names, 'input', making.texts), making),
      },
    ]
  if (!dto) return [{ ...queryParameter(name, schema, making, undefined), ...described }]
  return fieldsOf(dto).map(([field, fieldSchema]) =>
    queryParameter(pascalCase(field), fieldSchema, making, making.texts?.ofMember(dto, field)),
  )
}

/** The schema of a path parameter that the contract does not describe. */
function pathText({ name }: Parameter, one: string): string {
  return name === 'id' ? `The id of the ${one}.` : `The ${words(name)}.`
}

function queryParameter(name: string, schema: z.ZodType, making: Making, doc: Tsdoc | undefined): Json {
  const { description: own, ...json } = withoutNull(schemaOf(schema, making.names, 'input', making.texts))
  const isMap = ['record', 'object'].includes(unwrap(schema)._zod.def.type)
  const required = !schema.safeParse(undefined).success
  const fields = filterFieldsOf(schema)
  const described = describeMember(json, doc)
  const description = [described.description, own, fields.length && describeFilters(name, fields)]
    .filter(Boolean)
    .join(' ')
  return {
    name,
    in: 'query',
    required,
    ...(description && { description }),
    ...(described.deprecated === true && { deprecated: true }),
    ...(isMap && { style: 'deepObject', explode: true, example: {} }),
    schema: json,
    // The docs UI sends the examples of parameters: what may be left out has none.
    ...(required && { example: making.exampleOf(described) }),
  }
}

function describeFilters(name: string, fields: readonly string[]): string {
  const [field] = fields
  return `By ${fields.join(', ')}: within a field any of the values, across fields all. \`${name}[${field}]=a&${name}[${field}]=b\`, \`${name}.${field}=a\`, JSON in \`${name}\`, or the field for itself: \`${field}=a\`.`
}

/** In a query there is no null: the parameter is absent. */
function withoutNull(schema: Json): Json {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf)) return schema
  const options = (anyOf as Json[]).filter(({ type }) => type !== 'null')
  return options.length === 1 ? { ...options[0], ...rest } : { ...rest, anyOf: options }
}

/** From the DTO classes to the names of their schemas. */
type SchemaNames = ReadonlyMap<AnyDto, string>

/**
 * Every DTO that the services' operations take or give, by a name that says whose it is, e.g.
 * `Hub.ShipmentDto`.
 */
function schemaNames(services: readonly LocalService[]): SchemaNames {
  const owners = new Map<AnyDto, Set<RemoteService>>()
  for (const { contract } of services) {
    const { service, operations } = contract.contract
    for (const { parameters, result, route } of operations.values()) {
      const bodies = parameters.filter((_, index) => isBody(route.sources[index])).map(({ schema }) => schema)
      const given = result ? [isDto(result) ? result.schema : result] : []
      for (const schema of [...bodies, ...given])
        collectDtos(schema, (dto) => owners.set(dto, (owners.get(dto) ?? new Set()).add(service)))
    }
  }
  const taken = new Set<string>()
  const names = new Map<AnyDto, string>()
  for (const [dto, users] of owners) {
    const owner = ownerOf(users)
    const prefix = owner ? `${owner.name}.` : ''
    let name = `${prefix}${dto.name}`
    for (let number = 2; taken.has(name); number++) name = `${prefix}${dto.name}${number}`
    taken.add(name)
    names.set(dto, name)
  }
  return names
}

/**
 * Of an answer the form that is written, of an input the form that is read; one DTO is used for one of both.
 */
function componentSchemas(names: SchemaNames, texts: ContractTexts | undefined): Json {
  const entries = [...names].map(([dto, name]) => {
    const json = convert(dto.schema, names, isInput(dto) ? 'input' : 'output', dto, texts)
    return [name, { ...(texts ? describeDto(json, dto, texts) : json), title: dto.name }] as const
  })
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}

const isInput = (dto: AnyDto): boolean => /Input$|^(Create|Update)|(Create|Update)\w*Dto$/.test(dto.name)

/** The JSON Schema of what a DTO is on the wire when it is sent, whole in itself. */
export function schemaOfDto(dto: AnyDto): Json {
  return convert(dto.schema, new Map(), 'output', dto)
}

function schemaOf(
  schema: z.ZodType,
  names: SchemaNames,
  direction: Direction,
  texts: ContractTexts | undefined,
): Json {
  return referenceTo(schema, names) ?? convert(schema, names, direction, undefined, texts)
}

/**
 * What {@link convert} makes of a DTO that has a name and of a list of them, without walking through all that
 * they hold. Undefined for other schemas.
 */
function referenceTo(schema: z.ZodType, names: SchemaNames): Json | undefined {
  const dto = dtoOf(schema)
  const name = dto && names.get(dto)
  if (name) return { $ref: `#/components/schemas/${name}` }
  if (!(schema instanceof z.ZodArray) || schema.def.checks?.length || schema.meta()) return undefined
  const items = referenceTo(schema.element as z.ZodType, names)
  return items && { type: 'array', items }
}

/** zod's JSON Schema with our scalars in their wire form, and DTOs that have a name by reference. */
function convert(
  schema: z.ZodType,
  names: SchemaNames,
  direction: Direction,
  root?: AnyDto,
  texts?: ContractTexts,
): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io: direction,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const dto = dtoOf(zodSchema as unknown as z.ZodType)
      const name = dto && dto !== root ? names.get(dto) : undefined
      const kind = wireKind(zodSchema as unknown as z.ZodType)
      const isWrapper = 'innerType' in zodSchema._zod.def
      if (name) replace(jsonSchema, { $ref: `#/components/schemas/${name}` })
      else if (kind && !isWrapper)
        replace(jsonSchema, { ...scalarSchema(kind, texts), ...examplesOf(zodSchema) })
      // Decimals are texts in the code and numbers on the wire.
      else if (kind?.kind === 'decimal' && typeof jsonSchema.default === 'string')
        jsonSchema.default = Number(jsonSchema.default)
      else if (jsonSchema.type === 'integer' && jsonSchema.maximum === Number.MAX_SAFE_INTEGER) {
        delete jsonSchema.maximum
        if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      }
      if (jsonSchema.format === 'guid') jsonSchema.format = 'uuid'
      // zod spells the letters of a GUID out; the format says it.
      if (jsonSchema.format === 'uuid') delete jsonSchema.pattern
    },
  }) as Json
  return json
}

/**
 * The author's examples. Of what is transformed zod tells none of an input, because its own are of the
 * output; ours are of the wire.
 */
function examplesOf(schema: z.core.$ZodType): Json {
  const examples = z.globalRegistry.get(schema)?.examples
  return examples ? { examples } : {}
}

/** Puts another schema in the place of one, but keeps what its author told of it. */
function replace(target: object, schema: Json): void {
  const told = Object.entries(target).filter(([key]) => authorsKeywords.has(key))
  for (const key of Object.keys(target)) delete (target as Json)[key]
  Object.assign(target, schema, Object.fromEntries(told))
}

const authorsKeywords = new Set(['description', 'examples', 'deprecated'])

function scalarSchema(
  kind: NonNullable<ReturnType<typeof wireKind>>,
  texts: ContractTexts | undefined,
): Json {
  switch (kind.kind) {
    case 'instant':
      return { type: 'string', format: 'date-time' }
    case 'date':
      return { type: 'string', format: 'date' }
    case 'decimal':
      return { type: 'number' }
    case 'enum':
      return {
        type: 'integer',
        enum: Object.values(kind.members),
        'x-enum-varnames': Object.keys(kind.members),
        ...describeEnumeration(kind, texts),
      }
    case 'enumName':
      return { type: 'string', enum: Object.keys(kind.members), ...describeEnumeration(kind, texts) }
    case 'file':
      return binary
  }
}

function operationPrefix({ contract }: LocalService): string {
  const { service, name } = contract.contract
  return `${service.name}_${featureOf(name)}`
}

/** E.g. `Hub / Shipments`: a tag's name is its own in the document, and two modules may have shipments. */
function tagOf({ contract }: LocalService): string {
  const { group, title } = titlesOf(contract.contract)
  return `${group} / ${title}`
}

function whoMayCall(guard: Guard | undefined): string {
  if (guard?.kind === 'permission') return `Needs the permission \`${guard.permission}\`.`
  if (guard?.kind === 'policy') {
    const { policy, anyOf } = guard
    const permissions = anyOf.length
      ? `Needs the permission ${anyOf.map((name) => `\`${name}\``).join(' or ')}. `
      : ''
    return `${permissions}Needs the policy \`${policy.name}\`: ${policy.description}.`
  }
  return guard?.kind === 'anonymous' ? 'Needs no credentials.' : 'Needs valid credentials.'
}
