import type { Request, RequestHandler, Response } from 'express'
import { cleanUpMetadata, controller, type HTTP_VERBS_ENUM, httpMethod } from 'inversify-express-utils'
import {
  type AnyDto,
  type ContractOperation,
  type FileContent,
  faultOf,
  featureOf,
  fieldsOf,
  fileTypesOf,
  filterFieldsOf,
  type Parameter,
  unwrap,
  ValidationError,
} from '../../contracts/index.js'
import type { Application, LocalService } from '../../modularity/application.js'
import type { Class, Constructor } from '../../modularity/class.js'
import { entityTagOf, jsonOf } from '../../modularity/json-text.js'
import { StartupError } from '../../modularity/startup-error.js'
import { admission, authorization, refuseUnchecked } from '../../security/authorization.js'
import { guardOf } from '../../security/guards.js'
import { operationLimits } from '../../security/rate-limits.js'
import { tellsSecret, withoutCompression } from '../server/compression.js'
import { matchesTag } from '../server/entity-tags.js'
import { sendJson } from '../server/send-json.js'
import { parseBoundedJson } from './bounded-json.js'
import { sendFile } from './file-response.js'
import { type BodyLimits, formBody } from './form-body.js'
import { jsonBody } from './json-body.js'
import { parseQuery, QueryLimitError } from './query-string.js'
import { takeFirstOfSimple } from './simple-values.js'

type OperationMethod = (...args: unknown[]) => Promise<unknown>

/**
 * Makes an inversify-express-utils controller of every contract that is implemented in this process. Two operations on one route stop the
 * start. inversify-express-utils keeps the list of controllers per process: it is cleared first, so this host's are the only ones.
 */
export function generateControllers(application: Application, bodyLimits: BodyLimits): void {
  refuseUnchecked(application)
  cleanUpMetadata()
  const routes = new Map<string, string>()
  const shared = {
    bodyLimits,
    ...bodyReaders(bodyLimits),
    limits: operationLimits(application, application.localServices.flatMap(operationNames)),
  }
  for (const local of application.localServices) {
    for (const operation of local.contract.contract.operations.values()) claim(routes, local, operation)
    generateController(application, local, shared)
  }
}

function operationNames({ contract }: LocalService): string[] {
  return [...contract.contract.operations.keys()].map((operation) => limitNameOf(contract, operation))
}

/** Answers with what an operation gives, in as few promises as that takes: each of them costs more than binding the arguments. */
function answerAtOnce(
  operation: string,
  bind: (request: Request) => unknown[],
  call: (args: unknown[]) => Promise<unknown>,
): RequestHandler {
  return (request, response, next) => {
    const fail = (error: unknown): void => {
      answering.set(request, operation)
      next(error)
    }
    call(bind(request)).then((result) => {
      try {
        write(request, response, result)
      } catch (error) {
        fail(error)
      }
    }, fail)
  }
}

/** The operation that failed to answer a request; noted then alone. */
const answering = new WeakMap<Request, string>()

/** The operation that failed to answer a request, as `ShipmentService.create`; undefined for what failed before or beside one. */
export function failedOperationOf(request: Request): string | undefined {
  return answering.get(request)
}

/** The name of an operation in `RateLimits:Operations`: `Hub.Shipment.create`. */
function limitNameOf({ contract }: LocalService['contract'], operation: string): string {
  return `${contract.service.name}.${featureOf(contract.name)}.${operation}`
}

function claim(
  routes: Map<string, string>,
  { service }: LocalService,
  { name, route }: ContractOperation,
): void {
  const key = `${route.verb} ${route.path.replace(/\{\w+\}/g, '{}').toLowerCase()}`
  const owner = routes.get(key)
  const operation = `${service.name}.${name}`
  if (owner)
    throw new StartupError(
      `${operation} and ${owner} both answer at ${route.verb} ${route.path}: rename one, or give it a path with .at(verb, path)`,
    )
  routes.set(key, operation)
}

/** What all controllers use. */
interface Shared extends BodyReaders {
  readonly bodyLimits: BodyLimits
  readonly limits: ReadonlyMap<string, RequestHandler>
}

interface BodyReaders {
  readonly readBody: RequestHandler
  /** For operations that everybody may call. */
  readonly readSmallBody: RequestHandler
}

function bodyReaders({ maxJsonBodyBytes, maxAnonymousBodyBytes, maxJsonValues }: BodyLimits): BodyReaders {
  const smallBytes = Math.min(maxJsonBodyBytes, maxAnonymousBodyBytes)
  return {
    readBody: jsonBody({ maxBytes: maxJsonBodyBytes, mostValues: maxJsonValues }),
    readSmallBody: jsonBody({ maxBytes: smallBytes, mostValues: maxJsonValues }),
  }
}

function generateController(
  application: Application,
  { contract, service }: LocalService,
  { bodyLimits, readBody, readSmallBody, limits }: Shared,
): void {
  const { name, service: remote, operations } = contract.contract
  // inversify-express-utils knows controllers by class name: make it unique.
  const className = `${remote.name}${name}Controller`
  const Controller = { [className]: class {} }[className] as new () => object
  const implementation = application.get(contract as unknown as Class<Record<string, OperationMethod>>)
  for (const operation of operations.values()) {
    const { verb, path, sources } = operation.route
    const call = implementation[operation.name] as OperationMethod
    const bind = compileBinder(operation)
    const send = fileTypesOf(operation) ? writeFile : write
    const called = `${service.name}.${operation.name}`
    const answer = async (request: Request, response: Response) => {
      try {
        return send(request, response, await call(...bind(request)))
      } catch (error) {
        answering.set(request, called)
        throw error
      }
    }
    const form = operation.parameters[sources.indexOf('form')]
    Object.defineProperty(Controller.prototype, operation.name, {
      value: form
        ? formBody(form, bodyLimits, answer)
        : send === write
          ? answerAtOnce(called, bind, (args) => call.apply(implementation, args))
          : answer,
    })
    const mayBeUnreadable = sources.some((source) => source !== 'path')
    const middleware = mayBeUnreadable ? admitFirst(application, service, operation) : []
    const limit = limits.get(limitNameOf(contract, operation.name))
    if (limit) middleware.unshift(limit)
    if (tellsSecret(operation)) middleware.push(withoutCompression)
    if (sources.includes('body'))
      middleware.push(guardOf(service, operation.name)?.kind === 'anonymous' ? readSmallBody : readBody)
    const method = verb.toLowerCase() as HTTP_VERBS_ENUM
    httpMethod(method, path.replace(/\{(\w+)\}/g, ':$1'), ...middleware)(
      Controller.prototype as never,
      operation.name,
      undefined as never,
    )
  }
  controller('/')(Controller)
}

/** Refuses callers before their body or query is read: strangers must not make us read it, nor learn what is wrong with it. */
function admitFirst(
  application: Application,
  service: Constructor,
  { name }: ContractOperation,
): RequestHandler[] {
  const admit = application.interceptors.includes(authorization) ? admission(service, name) : undefined
  if (!admit) return []
  return [
    (_request, _response, next) => {
      admit()
      next()
    },
  ]
}

/** What turns a request into the arguments of an operation, as they came; the operation itself validates them. */
function compileBinder(operation: ContractOperation): (request: Request) => unknown[] {
  const readers = operation.parameters.map((parameter, index) =>
    readerOf(parameter, operation.route.sources[index]),
  )
  const needsQuery = operation.route.sources.includes('query')
  return (request) => {
    const query = needsQuery ? queryOf(request.url) : undefined
    return readers.map((read) => read(request, query ?? {}))
  }
}

type ArgumentReader = (request: Request, query: Record<string, unknown>) => unknown

function readerOf(parameter: Parameter, source: string | undefined): ArgumentReader {
  if (source === 'path') return ({ params }) => params[parameter.name]
  if (source === 'body') return ({ body }) => body
  const take = takeFirstOfSimple(parameter.schema)
  if (source === 'form') return ({ body }) => take(body)
  if (parameter.dto) {
    const nested = fieldsOf(parameter.dto)
      .filter(([, schema]) => ['record', 'object'].includes(unwrap(schema)._zod.def.type))
      .map(([name]) => name.toLowerCase())
    if (!nested.length) return (_request, query) => take(query)
    const gather = filterGatherer(parameter.dto)
    return (_request, query) => take(gather(withParsedJson(query, nested)))
  }
  const lower = parameter.name.toLowerCase()
  return (_request, query) => take(Object.entries(query).find(([name]) => name.toLowerCase() === lower)?.[1])
}

/** The query of an address; what cannot be read is a fault of the input. */
export function queryOf(url: string): Record<string, unknown> {
  const mark = url.indexOf('?')
  if (mark < 0) return {}
  try {
    return parseQuery(url.slice(mark + 1))
  } catch (error) {
    const fault =
      error instanceof QueryLimitError
        ? { message: error.message, members: [], text: error.text }
        : {
            message: 'The query has a broken percent-encoding.',
            members: [],
            text: { key: 'Http:BrokenQuery' },
          }
    throw new ValidationError([fault], { cause: error })
  }
}

/**
 * Members that are maps or objects may also come as JSON text, whole or value by value: `Filters={"Status":["Booked"]}`, and
 * `Filters[Status]=["Booked"]` as the docs UI writes it.
 */
function withParsedJson(query: Record<string, unknown>, nested: readonly string[]): Record<string, unknown> {
  const entries = Object.entries(query).map(([name, value]) => {
    if (!nested.includes(name.toLowerCase())) return [name, value]
    if (typeof value === 'string') return [name, value.startsWith('{') ? parsed(name, value) : value]
    const members = Object.entries(value ?? {}).map(([key, member]) => [
      key,
      isJsonList(member) ? parsed(name, member) : member,
    ])
    return [name, Array.isArray(value) ? value : Object.fromEntries(members)]
  })
  return Object.fromEntries(entries)
}

/** Puts fields to filter by that stand for themselves (`Status=Booked`) into the map that they belong to. */
function filterGatherer(dto: AnyDto): (query: Record<string, unknown>) => Record<string, unknown> {
  const members = fieldsOf(dto)
  const [map, schema] = members.find(([, one]) => filterFieldsOf(one).length) ?? []
  if (!map || !schema) return (query) => query
  const own = new Set(members.map(([name]) => name.toLowerCase()))
  const fields = new Set(filterFieldsOf(schema).map((field) => field.toLowerCase()))
  const isField = (name: string) => fields.has(name.toLowerCase()) && !own.has(name.toLowerCase())
  return (query) => {
    const names = Object.keys(query)
    const given = names.find((name) => name.toLowerCase() === map.toLowerCase())
    const filters = given === undefined ? {} : query[given]
    if (!names.some(isField) || typeof filters !== 'object') return query
    const entries = Object.entries(query)
    return Object.fromEntries([
      ...entries.filter(([name]) => !isField(name) && name !== given),
      [map, { ...Object.fromEntries(entries.filter(([name]) => isField(name))), ...filters }],
    ])
  }
}

const isJsonList = (value: unknown): value is string => typeof value === 'string' && /^\[".*"\]$/s.test(value)

function parsed(name: string, value: string): unknown {
  try {
    // An address is short: its depth alone is of interest.
    return parseBoundedJson(Buffer.from(value), { mostValues: value.length })
  } catch (error) {
    throw new ValidationError([faultOf(name, 'Validation:Json')], { cause: error })
  }
}

async function writeFile(request: Request, response: Response, result: unknown): Promise<void> {
  await sendFile(request, response, result as FileContent)
}

/** Sends a result: nothing as 204, a text as text, JSON that exists already as it is, everything else as JSON; 304 to whoever has it already. */
function write(request: Request, response: Response, result: unknown): void {
  if (result === undefined || result === null) {
    response.statusCode = 204
    response.end()
    return
  }
  const entityTag = typeof result === 'object' ? entityTagOf(result) : undefined
  if (entityTag !== undefined) {
    response.setHeader('etag', entityTag)
    // Kept by the caller alone, and asked for again each time: a permission that changed counts at the next call.
    response.setHeader('cache-control', 'private, no-cache')
    response.vary('Authorization')
    response.vary('Accept-Language')
    response.vary('X-Api-Key')
    response.vary('Api-Key')
    response.vary('Accept-Encoding')
    if (matchesTag(request.headers['if-none-match'], entityTag)) {
      response.statusCode = 304
      response.end()
      return
    }
  }
  if (typeof result === 'string' && takesText(request.headers.accept))
    sendJson(response, 200, result, 'text/plain; charset=utf-8')
  else sendJson(response, 200, jsonOf(result) ?? JSON.stringify(result))
}

/** Whether a text goes out as it is, as ASP.NET Core sends it; it is quoted for those who take nothing but JSON, as our own clients do. */
function takesText(accept: string | undefined): boolean {
  return accept === undefined || /(^|[\s,])(\*\/\*|text\/(plain|\*))/i.test(accept)
}
