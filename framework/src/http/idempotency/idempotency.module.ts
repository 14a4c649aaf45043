import { secretMembersOf } from '../../auditing/auditing-interceptor.js'
import {
  type AnyAppService,
  type ContractOperation,
  EntityNotFoundError,
  ForbiddenError,
  faultOf,
  isDto,
  takesIdempotencyKey,
  ValidationError,
} from '../../contracts/index.js'
import { UnitOfWork } from '../../data/connections/unit-of-work.js'
import { JobsModule } from '../../jobs/jobs.module.js'
import { ambient, ambientOwner } from '../../modularity/ambient.js'
import type { Application, ModuleContext } from '../../modularity/application.js'
import type { Class } from '../../modularity/class.js'
import { shownTo } from '../../modularity/field-rights.js'
import type { Interceptor, Next } from '../../modularity/interceptor.js'
import { jsonOf, resultFrom } from '../../modularity/json-text.js'
import { KeelModule, Module } from '../../modularity/module.js'
import { type OwnFields, withoutHidden } from '../../modularity/own-fields.js'
import { tellsSecret } from '../server/compression.js'
import { IdempotentAnswerNotKeptError } from './idempotency-errors.js'
import { IdempotencyKeys } from './idempotency-keys.js'
import { IdempotencySettings } from './idempotency-settings.js'
import { IdempotencyTableModule } from './idempotency-table.module.js'

const longestKey = 255

/**
 * Has a host honour the header `Idempotency-Key` of creations: for a day the same key with the same input of the same
 * caller does nothing, and gives the answer of the first time. It answers 422 for another input, 409 while the first one
 * runs. Guards and checks of the input come first, so that lost rights count. Callers who are not signed in have no keys.
 */
@Module({
  name: 'Idempotency',
  dependsOn: [IdempotencyTableModule, JobsModule],
  services: [IdempotencyKeys],
  configuration: [IdempotencySettings],
})
export class IdempotencyModule extends KeelModule {
  override preConfigureServices({ application }: ModuleContext): void {
    application.interceptors.push(idempotency(application))
  }
}

/** Requests whose key is taken: it counts for their first creation alone. */
const taken = new WeakSet<object>()

/** Runs creations with an idempotency key at most once. */
export function idempotency(application: Application): Interceptor {
  const { ownFields } = application
  return {
    step: 'idempotency key',
    intercept({ contract, operation }) {
      if (!takesIdempotencyKey(operation)) return undefined
      const requestOf = requestWriter(
        `${contract.contract.service.name}.${contract.contract.name}`,
        operation,
      )
      const isKept = !tellsSecret(operation)
      const isSeen = rowCheck(application, contract, operation)
      return (args, next) => {
        const key = takeKey()
        if (key === undefined) return next(args)
        const keyed = { key, request: requestOf(args), operation, isKept, isSeen, ownFields }
        return once(application.get(IdempotencyKeys), keyed, args, next)
      }
    },
  }
}

/** The operation and its input as a text, without secrets: a fingerprint of a password could be used to guess it. */
function requestWriter(service: string, { name, parameters }: ContractOperation) {
  const isSecret = secretMembersOf({ parameters })
  return (args: readonly unknown[]): string => {
    const input = Object.fromEntries(parameters.map((parameter, index) => [parameter.name, args[index]]))
    return `${service}.${name} ${JSON.stringify(input, (member, value) => (isSecret(member) ? '' : value))}`
  }
}

interface Keyed {
  readonly key: string
  readonly request: string
  readonly operation: ContractOperation
  /** False for answers that hold a secret. */
  readonly isKept: boolean
  readonly isSeen: SeenRow
  readonly ownFields: Pick<OwnFields, 'seenBy'>
}

async function once(
  keys: IdempotencyKeys,
  { key, request, operation, isKept, isSeen, ownFields }: Keyed,
  args: unknown[],
  next: Next,
): Promise<unknown> {
  const { id, replay } = await keys.begin(key, request)
  if (replay) return replayed(operation, replay.json, { isSeen, ownFields })
  return UnitOfWork.run(async () => {
    const unit = UnitOfWork.current
    unit?.onRolledBack(() => keys.giveUp(id))
    const result = await next(args)
    const json = isKept ? textOf(result) : undefined
    // After all commits: what is remembered as done was done on every database.
    unit?.onCommitted(() => keys.complete(id, json))
    return result
  })
}

/**
 * The key of the request at hand, when the operation is the one that was called: a creation that another operation calls
 * inside its unit of work is a part of that one.
 */
function takeKey(): string | undefined {
  const { request, principal } = ambient()
  const header = request?.headers['idempotency-key']
  const owner = ambientOwner()
  if (header === undefined || !owner || taken.has(owner) || UnitOfWork.current) return undefined
  if (principal.userId === undefined && principal.clientId === undefined) return undefined
  taken.add(owner)
  const key = String(header)
  if (key.length > longestKey || key === '')
    throw new ValidationError([
      faultOf('Idempotency-Key', 'Http:IdempotencyKeyLength', { maximum: longestKey }),
    ])
  return key
}

function textOf(result: unknown): string {
  return jsonOf(result)?.toString() ?? JSON.stringify(result ?? null)
}

/** True for the row of an answer that its caller would be shown now, too. */
type SeenRow = (row: unknown) => Promise<boolean>

/** Asks `get` of the contract, with the rules of the caller at hand, where that answers with rows of the same kind. */
function rowCheck(application: Application, service: AnyAppService, { result }: ContractOperation): SeenRow {
  const get = service.contract.operations.get('get')
  if (!result || get?.result !== result || get.parameters.length !== 1) return async () => true
  return async (row) => {
    const { get: read } = application.get(service as unknown as Class<{ get(id: unknown): Promise<unknown> }>)
    try {
      await read((row as { id: unknown }).id)
      return true
    } catch (error) {
      // Who creates without seeing got the answer all the same.
      if (error instanceof ForbiddenError) return true
      if (error instanceof EntityNotFoundError) return false
      throw error
    }
  }
}

/** The kept answer, without what the caller may not see any more: steps around this one leave JSON that exists as it is. */
async function replayed(
  operation: ContractOperation,
  json: string | null,
  { isSeen, ownFields }: Pick<Keyed, 'isSeen' | 'ownFields'>,
): Promise<unknown> {
  const { result } = operation
  if (!result) return undefined
  if (json === null) throw new IdempotentAnswerNotKeptError()
  if (json === 'null') return null
  const kept: unknown = JSON.parse(json)
  if (!(await isSeen(kept))) throw new IdempotentAnswerNotKeptError()
  const seen = shownTo(isDto(result) ? result.schema : result, kept, ambient().principal)
  const shown = withoutHidden(ownFields, operation, seen)
  return JSON.stringify(shown) === JSON.stringify(kept) ? resultFrom(result, json) : shown
}
