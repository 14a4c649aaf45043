import { z } from 'zod'
import {
  type AnyDto,
  type ContractOperation,
  compileNormalizer,
  type TextReference,
  ValidationError,
  type ValidationFault,
} from '../contracts/index.js'
import { textOfCheck } from './check-texts.js'
import type { Interceptor, Step } from './interceptor.js'

/** The most faults in an answer, as in ASP.NET Core. */
const mostFaults = 200
/** Of the path of a member, whose names may be the caller's own. */
const longestPath = 200
/** How deep a value may be nested that comes from within the process; over HTTP less is read. */
const deepest = 64

/**
 * Checks every argument of an operation against its contract; the faults of all arguments come back at once.
 */
export const validation: Interceptor = {
  step: 'validation',
  intercept({ operation }): Step | undefined {
    if (operation.parameters.length === 0) return undefined
    // Compiled with the first call: a host has hundreds of operations, and a start has no need of them.
    let validate: ReturnType<typeof compileValidator> | undefined
    return (args, next) => {
      validate ??= compileValidator(operation)
      return next(validate(args))
    }
  },
}

function compileValidator(operation: ContractOperation): (args: unknown[]) => unknown[] {
  const checks = operation.parameters.map((parameter) => ({
    parameter,
    normalize: compileNormalizer(parameter.schema),
    // GET and DELETE objects may be absent altogether: their defaults apply.
    absent: parameter.dto && operation.route.verb === 'GET' ? {} : undefined,
  }))
  return (args) => {
    const faults: ValidationFault[] = []
    const values = checks.map(({ parameter, normalize, absent }, index) => {
      const { value, issues } = parse(parameter.schema, normalize(args[index] ?? absent))
      for (const issue of issues.slice(0, mostFaults - faults.length))
        faults.push(toFault(parameter.dto ? '' : parameter.name, issue))
      return value
    })
    if (faults.length) throw new ValidationError(faults)
    return values
  }
}

/** The value that a DTO returned for an input, and its faults. */
export interface CheckedInput {
  /** Undefined where there are faults. */
  readonly value: unknown
  readonly faults: readonly ValidationFault[]
}

/** A check of values by a DTO, as `validation` checks the input of an operation. */
export function compileInputCheck({ schema }: Pick<AnyDto, 'schema'>): (input: unknown) => CheckedInput {
  const normalize = compileNormalizer(schema)
  return (input) => {
    const { value, issues } = parse(schema, normalize(input))
    return { value, faults: issues.map((issue) => toFault('', issue)) }
  }
}

/** A value that breaks a schema. */
interface Issue {
  readonly path: readonly PropertyKey[]
  readonly text: TextReference
}

/** As `safeParse` of zod, with texts only for the faults that are reported. */
function parse(schema: z.ZodType, input: unknown): { value: unknown; issues: readonly Issue[] } {
  const parsed = schema._zod.run({ value: input, issues: [] }, { async: false })
  if (parsed instanceof Promise) throw new TypeError('The schema of a parameter waits for something.')
  if (!parsed.issues.length) return { value: parsed.value, issues: unstorableValues(parsed.value) }
  return { value: undefined, issues: parsed.issues.slice(0, mostFaults).map(toIssue) }
}

/** Our own scalars name their text; all other checks of zod have texts by what they find. */
function toIssue(raw: z.core.$ZodRawIssue): Issue {
  const { path, message, params } = z.core.util.finalizeIssue(raw, nothingSaid, z.core.config()) as Named
  return { path, text: params?.key === undefined ? textOfCheck(raw, message) : (params as TextReference) }
}

type Named = z.core.$ZodIssue & { readonly params?: Partial<TextReference> }
/** Checks without a message of their own get none. */
const nothingSaid = { error: () => '' }

/** A value inside another one. */
interface Place {
  readonly value: unknown
  readonly key: PropertyKey
  readonly parent: Place | undefined
  readonly depth: number
}

/**
 * Faults that no schema finds: NUL characters and halves of surrogate pairs, which PostgreSQL refuses (the latter in JSON; texts would
 * change), and nesting too deep for later readers.
 */
function unstorableValues(root: unknown): Issue[] {
  const issues: Issue[] = []
  const open: Place[] = [{ value: root, key: '', parent: undefined, depth: 0 }]
  for (let next = 0; next < open.length && issues.length < mostFaults; next++) {
    const place = open[next] as Place
    const { value, depth } = place
    if (typeof value === 'string') {
      const text = unstorable(value)
      if (text) issues.push({ path: pathOf(place), text })
    } else if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) continue
    else if (depth > deepest) issues.push(tooDeep(place))
    else for (const [key, member] of Object.entries(value)) visit(key, member, place)
  }
  return issues

  function visit(key: string, value: unknown, parent: Place): void {
    const text = unstorable(key)
    if (typeof value !== 'object' && typeof value !== 'string' && !text) return
    const place = {
      value,
      key: Array.isArray(parent.value) ? Number(key) : key,
      parent,
      depth: parent.depth + 1,
    }
    if (text) issues.push({ path: pathOf(place), text })
    else open.push(place)
  }
}

/** Why a text cannot be stored; undefined for all others. */
function unstorable(text: string): TextReference | undefined {
  if (text.includes('\0')) return { key: 'Validation:Nul' }
  return text.isWellFormed() ? undefined : { key: 'Validation:HalfCharacter' }
}

function tooDeep(place: Place): Issue {
  return {
    path: pathOf(place),
    text: { key: 'Validation:TooDeep', data: { deepest } },
  }
}

function pathOf(place: Place): PropertyKey[] {
  const path: PropertyKey[] = []
  for (let at: Place | undefined = place; at?.parent; at = at.parent) path.unshift(at.key)
  return path
}

/** @param parameter its name; empty for members of a DTO, whose paths begin with themselves */
function toFault(parameter: string, issue: Issue): ValidationFault {
  const path = issue.path.reduce<string>((text, key) => {
    if (text.length > longestPath) return text
    if (typeof key === 'number') return `${text}[${key}]`
    const name = String(key).slice(0, longestPath)
    return text ? `${text}.${name}` : name
  }, '')
  const member = [parameter, path].filter(Boolean).join('.')
  return {
    message: member ? `${member}: ${issue.text.key}` : issue.text.key,
    members: member ? [member] : [],
    text: issue.text,
  }
}
