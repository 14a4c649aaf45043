import type { Request, RequestHandler, Response } from 'express'
import {
  cleanUpMetadata,
  controller,
  type HTTP_VERBS_ENUM,
  httpMethod,
  PARAMETER_TYPE,
} from 'inversify-express-utils'
import { contractHeader } from '../../contracts/contract-header.js'
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
import { operationHash } from '../../contracts/operation-shape.js'
import type { Application, LocalService } from '../../modularity/application.js'
import type { Class, Constructor } from '../../modularity/class.js'
import { behindGuard } from '../../modularity/interceptor.js'
import { entityTagOf, jsonOf } from '../../modularity/json-text.js'
import { lazily } from '../../modularity/lazily.js'
import { StartupError } from '../../modularity/startup-error.js'
import { checkGuardsOf, refuseUnchecked } from '../../security/authorization.js'
import { operationLimits } from '../../security/rate-limits.js'
import { tellsSecret } from '../server/compression.js'
import { matchesTag } from '../server/entity-tags.js'
import { noteFailedOperation } from '../server/failed-operation.js'
import { type HostedController, routesOf } from '../server/inversify-server.js'
import { pathTemplate } from '../server/radix-router.js'
import { sendJson } from '../server/send-json.js'
import { parseBoundedJson } from './bounded-json.js'
import { sendFile } from './file-response.js'
import { type BodyLimits, formBody } from './form-body.js'
import { parseQuery, QueryLimitError } from './query-string.js'
import { routeSteps } from './route-steps.js'
import { takeFirstOfSimple } from './simple-values.js'

type OperationMethod = (...args: unknown[]) => Promise<unknown>

/**
 * The controllers of a host: one of inversify-express-utils for every contract that is implemented in this
 * process, and those that modules list. Two answers on one route, or a method without a guard, stop the
 * start.
 */
export function hostedControllers(application: Application, bodyLimits: BodyLimits): HostedController[] {
  const byHand = application.modules.flatMap((module) =>
    (module.options.controllers ?? []).map((type) => ({ type, module, routes: routesOf(type) })),
  )
  const reached = byHand.flatMap(({ type, module, routes }) =>
    routes.map(({ method }) => ({ service: type, name: method, module })),
  )
  refuseUnchecked(application, reached)
  checkGuardsOf(application, reached)
  const claims = new Map<string, string>()
  for (const { service, contract } of application.localServices)
    for (const { name, route } of contract.contract.operations.values())
      claim(claims, route, `${service.name}.${name}`)
  for (const { type, routes } of byHand)
    for (const { verb, path, method } of routes)
      claim(claims, { verb: verb.toUpperCase(), path: pathTemplate(path) }, `${type.name}.${method}`)
  const limits = operationLimits(application, application.localServices.flatMap(operationNames))
  const stepsOf = routeSteps(bodyLimits)
  const generated = application.localServices.map((local) =>
    generateController(application, local, { bodyLimits, limits, stepsOf }),
  )
  // The library remembers every class with `@controller` for ever; this host's are the ones here.
  cleanUpMetadata()
  return [...generated, ...byHand.map(({ type }) => controllerByHand(type, stepsOf))]
}

function controllerByHand(type: Constructor, stepsOf: ReturnType<typeof routeSteps>): HostedController {
  return {
    type,
    write,
    before: ({ method, parameters }) => [
      ...stepsOf({
        service: type,
        method,
        isSecret: () => false,
        readsJson: parameters.some((parameter) => parameter.type === PARAMETER_TYPE.BODY),
      }),
      asExpressHasThem,
    ],
  }
}

/** The members that Express' own router gives requests and answers; operations are served without it. */
const asExpressHasThem: RequestHandler = (request, response, next) => {
  request.query = queryOf(request.url) as Request['query']
  request.next = next
  response.locals = {}
  next()
}

function operationNames({ contract }: LocalService): string[] {
  return [...contract.contract.operations.keys()].map((operation) => limitNameOf(contract, operation))
}

/**
 * Answers with what an operation gives, in as few promises as that takes: each of them costs more than
 * binding the arguments.
 */
function answerAtOnce(
  operation: ContractOperation,
  called: string,
  {
    bind,
    call,
  }: {
    readonly bind: (request: Request) => unknown[]
    readonly call: (args: unknown[]) => Promise<unknown>
  },
): RequestHandler {
  return (request, response, next) => {
    const fail = (error: unknown): void => {
      noteFailedOperation(request, called)
      next(error)
    }
    tellContract(response, operation)
    call(bind(request)).then((result) => {
      try {
        write(request, response, result)
      } catch (error) {
        fail(error)
      }
    }, fail)
  }
}

/** Tells clients which version of the operation answers, so that they notice when theirs is another one. */
function tellContract(response: Response, operation: ContractOperation): void {
  response.setHeader(contractHeader, operationHash(operation))
}

/** The name of an operation in `RateLimits:Operations`: `Hub.Shipment.create`. */
function limitNameOf({ contract }: LocalService['contract'], operation: string): string {
  return `${contract.service.name}.${featureOf(contract.name)}.${operation}`
}

/** @param path with `{name}` for parameters */
function claim(
  claims: Map<string, string>,
  { verb, path }: { readonly verb: string; readonly path: string },
  method: string,
): void {
  const key = `${verb} ${path.replace(/\{\w+\}/g, '{}').toLowerCase()}`
  const owner = claims.get(key)
  if (owner)
    throw new StartupError(
      `${method} and ${owner} both answer at ${verb} ${path}: rename one, or give it a path with .at(verb, path)`,
    )
  claims.set(key, method)
}

/** The context that all controllers share. */
interface Shared {
  readonly bodyLimits: BodyLimits
  readonly limits: ReadonlyMap<string, RequestHandler>
  readonly stepsOf: ReturnType<typeof routeSteps>
}

function generateController(
  application: Application,
  { contract, service }: LocalService,
  { bodyLimits, limits, stepsOf }: Shared,
): HostedController {
  const { name, service: remote, operations } = contract.contract
  const className = `${remote.name}${name}Controller`
  const Controller = { [className]: class {} }[className] as new () => object
  const bound = application.get(contract as unknown as Class<Record<string, OperationMethod>>)
  // The route asks the guard, before it reads the body.
  const implementation = behindGuard(contract, bound)
  for (const operation of operations.values()) {
    const { verb, path } = operation.route
    const call = implementation[operation.name] as OperationMethod
    const binder = lazily(() => compileBinder(operation))
    const bind = (request: Request) => binder()(request)
    const send = fileTypesOf(operation) ? writeFile : write
    const called = `${service.name}.${operation.name}`
    const answer = async (request: Request, response: Response) => {
      tellContract(response, operation)
      try {
        return send(request, response, await call(...bind(request)))
      } catch (error) {
        noteFailedOperation(request, called)
        throw error
      }
    }
    const form = formOf(operation)
    Object.defineProperty(Controller.prototype, operation.name, {
      value: form
        ? formBody(form, bodyLimits, answer)
        : send === write
          ? answerAtOnce(operation, called, { bind, call: (args) => call.apply(implementation, args) })
          : answer,
    })
    httpMethod(verb.toLowerCase() as HTTP_VERBS_ENUM, path.replace(/\{(\w+)\}/g, ':$1'))(
      Controller.prototype as never,
      operation.name,
      undefined as never,
    )
  }
  controller('/')(Controller)
  return {
    type: Controller,
    instance: new Controller(),
    write,
    before: ({ method }) => {
      const operation = operations.get(method) as ContractOperation
      return stepsOf({
        service,
        method,
        limit: limits.get(limitNameOf(contract, method)),
        isSecret: () => tellsSecret(operation),
        readsJson: operation.route.sources.includes('body'),
      })
    },
  }
}

function formOf({ parameters, route }: ContractOperation): Parameter | undefined {
  return parameters[route.sources.indexOf('form')]
}

/** Turns a request into the arguments of an operation, unchecked; the operation itself validates them. */
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
 * Members that are maps or objects may also come as JSON text, whole or value by value:
 * `Filters={"Status":["Booked"]}`, and `Filters[Status]=["Booked"]` as the docs UI writes it.
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

/**
 * Sends a result: nothing as 204, a text as text, JSON that exists already as it is, everything else as JSON;
 * 304 to whoever has it already.
 */
function write(request: Request, response: Response, result: unknown): void {
  if (result === undefined || result === null) {
    response.statusCode = 204
    // That there is nothing is kept by nobody either: a cache in between does not know what an API key is.
    response.setHeader('cache-control', 'no-store')
    response.end()
    return
  }
  const entityTag = typeof result === 'object' ? entityTagOf(result) : undefined
  if (entityTag !== undefined) {
    response.setHeader('etag', entityTag)
    // Kept by the caller alone, and asked for again each time: a permission that changed counts at the next
    // call.
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

/**
 * True when a text is sent unquoted, as by ASP.NET Core. Callers that accept only JSON, as our clients do,
 * get it quoted.
 */
function takesText(accept: string | undefined): boolean {
  return accept === undefined || /(^|[\s,])(\*\/\*|text\/(plain|\*))/i.test(accept)
}
