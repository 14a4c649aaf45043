import { z } from 'zod'
import {
  type ContractOperation,
  compileNormalizer,
  type Parameter,
  type TextReference,
  ValidationError,
  type ValidationFault,
} from '../contracts/index.js'
import { ambient } from './ambient.js'
import { cultureChain } from './culture.js'
import { type Interceptor, interceptorOrder, type Step } from './interceptor.js'

/** Checks every argument of an operation against its contract; all faults of all arguments come back at once. */
export const validation: Interceptor = {
  order: interceptorOrder.validation,
  intercept({ operation }): Step | undefined {
    if (operation.parameters.length === 0) return undefined
    const validate = compileValidator(operation)
    return (args, next) => next(validate(args))
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
      const result = parameter.schema.safeParse(normalize(args[index] ?? absent), {
        error: errorMapOf(ambient().culture),
      })
      const issues = result.success ? unstorableTexts(result.data) : result.error.issues
      faults.push(...issues.map((issue) => toFault(parameter, issue)))
      return result.data
    })
    if (faults.length) throw new ValidationError(faults)
    return values
  }
}

type Issue = Pick<z.core.$ZodIssue, 'path' | 'message'> & { readonly params?: Record<string, unknown> }

/** The texts in a value that no database column takes: PostgreSQL knows no NUL character. */
function unstorableTexts(value: unknown, path: readonly PropertyKey[] = []): Issue[] {
  if (typeof value === 'string') {
    return value.includes('\0')
      ? [
          {
            path: [...path],
            message: 'Invalid input: the character NUL is not allowed',
            params: { key: 'Validation:Nul' },
          },
        ]
      : []
  }
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap((item, index) => unstorableTexts(item, [...path, index]))
  return Object.entries(value).flatMap(([key, member]) => unstorableTexts(member, [...path, key]))
}

const errorMaps = new Map<string, z.core.$ZodErrorMap>()

/** What zod says of its own checks in a culture, in English where zod lacks the language. */
function errorMapOf(culture: string): z.core.$ZodErrorMap {
  const known = errorMaps.get(culture)
  if (known) return known
  const locales: Partial<Record<string, typeof z.locales.en>> = z.locales
  const names = cultureChain(culture).map((name) => (name === 'zh-Hans' ? 'zhCN' : name.replace('-', '')))
  const locale = locales[names.find((name) => name in locales) ?? 'en'] ?? z.locales.en
  const { localeError } = locale()
  const map: z.core.$ZodErrorMap = (issue) => (isMissing(issue) ? missing : localeError(issue))
  errorMaps.set(culture, map)
  return map
}

/** Of a member that is not there we say what a person would say. */
const missing = 'a value is required'
const isMissing = ({ code, input }: { code?: string; input?: unknown }): boolean =>
  code === 'invalid_type' && input === undefined

function toFault(parameter: Parameter, issue: Issue): ValidationFault {
  const path = issue.path.reduce<string>(
    (text, key) =>
      typeof key === 'number' ? `${text}[${key}]` : text ? `${text}.${String(key)}` : String(key),
    '',
  )
  const member = parameter.dto ? path : [parameter.name, path].filter(Boolean).join('.')
  return {
    message: member ? `${member}: ${issue.message}` : issue.message,
    members: member ? [member] : [],
    text: textOf(issue),
  }
}

/** Our own scalars name their text; what zod says is in the caller's language already. */
function textOf({ message, params }: Issue): TextReference | undefined {
  if (message === missing) return { key: 'Validation:Required' }
  return typeof params?.key === 'string' ? (params as unknown as TextReference) : undefined
}
