import {
  type ContractOperation,
  compileReader,
  fileTypesOf,
  isDto,
  isFileContent,
  unwrap,
  z,
} from '../contracts/index.js'
import type { Constructor } from './class.js'
import { type Configuration, configurationSection } from './configuration.js'
import type { Interceptor } from './interceptor.js'
import { jsonOf } from './json-text.js'
import { placeOf } from './source-place.js'

/** Compares answers with their contract; by default only in Development. */
export const AnswerSettings = configurationSection('App', {
  /**
   * Compares answers with their contract; a breach is a 500 that names it. By default in Development alone.
   */
  checkAnswers: z.boolean().optional(),
})

/** The most faults of one answer that are reported. */
const mostFaults = 20

/**
 * An operation answered something else than its contract promises: a fault of the service, never of its
 * caller.
 */
export class ContractBreachError extends Error {
  override readonly name = 'ContractBreachError'
}

/**
 * Compares what every operation gives with its contract, as the caller would receive it. It stands inside of
 * the unit of work, so that a wrong answer undoes what was written. Undefined where it is switched off: then
 * calls do not pass through it at all.
 */
export function answerCheck(configuration: Configuration): Interceptor | undefined {
  const { checkAnswers = configuration.isDevelopment } = configuration.read(AnswerSettings)
  if (!checkAnswers) return undefined
  return {
    step: 'answers',
    intercept: ({ operation, service, contract }) => {
      // Compiled with the first answer: a host has hundreds of operations, and a start has no need of them.
      let faultsOf: ReturnType<typeof compileAnswerCheck> | undefined
      return async (args, next) => {
        const answer = await next(args)
        faultsOf ??= compileAnswerCheck(operation)
        const faults = faultsOf(answer)
        if (faults.length) throw breach(service, operation, contract.contract.name, faults)
        return answer
      }
    },
  }
}

function breach(
  service: Constructor,
  { name }: ContractOperation,
  contract: string,
  faults: readonly string[],
): ContractBreachError {
  const told = faults.slice(0, mostFaults)
  if (faults.length > mostFaults) told.push(`and ${faults.length - mostFaults} more`)
  const place = placeOf(service, name)
  const where = place ? `\n  at ${place}` : ''
  return new ContractBreachError(
    `The answer of ${service.name}.${name} is not what ${contract}.${name} promises:\n  ${told.join('\n  ')}${where}`,
  )
}

/** Makes a function that finds the faults of an operation's answers: `items[0].price: Invalid input: …`. */
export function compileAnswerCheck(
  operation: Pick<ContractOperation, 'result'>,
): (answer: unknown) => readonly string[] {
  const { result } = operation
  if (!result)
    return (answer) =>
      answer === undefined || answer === null
        ? []
        : [`the contract promises no result: add .returns(…) to it, or return nothing`]
  if (fileTypesOf(operation)) return (answer) => (isFileContent(answer) ? [] : ['expected a file'])
  const schema: z.ZodType = isDto(result) ? result.schema : result
  const read = compileReader(schema)
  return (answer) => {
    const received = read(asReceived(answer))
    const { success, error } = schema.safeParse(received)
    const issues = success ? [] : error.issues.filter((issue) => !isStoredNaN(answer, received, issue))
    const faults = issues.map(({ path, message }) => told(path, message))
    for (const path of undeclaredMembers(schema, received))
      faults.push(told(path, 'not declared by the contract'))
    return faults
  }
}

/**
 * True for a promised number that is null in JSON made by the database: a column that is not null can hold NaN or infinity, which JSON lacks.
 * Such rows, from before the table checked against them, stay readable. `JsonView` refuses to promise a number of a column that may be null.
 */
function isStoredNaN(answer: unknown, received: unknown, issue: z.core.$ZodIssue): boolean {
  if (jsonOf(answer) === undefined) return false
  const promised =
    issue.code === 'invalid_type' ? issue.expected : issue.code === 'custom' && issue.params?.['kind']
  if (promised !== 'number' && promised !== 'Decimal') return false
  const value = issue.path.reduce<unknown>(
    (from, key) => (from as Record<PropertyKey, unknown>)?.[key],
    received,
  )
  return value === null
}

/**
 * An answer as JSON takes it to the caller: dates are text, members that are undefined are missing, and NaN
 * is null.
 */
function asReceived(answer: unknown): unknown {
  const json = jsonOf(answer) ?? JSON.stringify(answer)
  return json === undefined ? undefined : JSON.parse(withExactNumbers(json.toString()))
}

/** A string, or a number with more digits than JavaScript reads of it. */
const stringOrLongNumber = /"(?:[^"\\]|\\.)*"|-?\d[\d.]{15,}(?![\d.eE])/g

/** JSON with such numbers as text, which is how decimals are in code. */
function withExactNumbers(json: string): string {
  return json.replace(stringOrLongNumber, (token) =>
    token.startsWith('"') || String(Number(token)) === token ? token : `"${token}"`,
  )
}

function told(path: readonly PropertyKey[], fault: string): string {
  const member = path.reduce<string>(
    (text, key) =>
      typeof key === 'number' ? `${text}[${key}]` : text ? `${text}.${String(key)}` : String(key),
    '',
  )
  return member ? `${member}: ${fault}` : fault
}

interface Definition {
  readonly type: string
  readonly shape?: Readonly<Record<string, z.ZodType>>
  readonly catchall?: z.ZodType
  readonly element?: z.ZodType
  readonly valueType?: z.ZodType
}

/**
 * Members that no schema declares: they tell callers what they were not to know, and nobody finds them in the
 * documents.
 */
function* undeclaredMembers(
  schema: z.ZodType,
  value: unknown,
  path: readonly PropertyKey[] = [],
): Generator<readonly PropertyKey[]> {
  if (typeof value !== 'object' || value === null || value instanceof Date) return
  const { type, shape, catchall, element, valueType } = unwrap(schema)._zod.def as unknown as Definition
  if (type === 'array' && element && Array.isArray(value))
    for (const [index, item] of value.entries()) yield* undeclaredMembers(element, item, [...path, index])
  else if (type === 'record' && valueType)
    for (const [key, item] of Object.entries(value)) yield* undeclaredMembers(valueType, item, [...path, key])
  else if (type === 'object' && shape)
    for (const [key, item] of Object.entries(value)) {
      const member = shape[key]
      if (member) yield* undeclaredMembers(member, item, [...path, key])
      else if (!catchall) yield [...path, key]
    }
}
