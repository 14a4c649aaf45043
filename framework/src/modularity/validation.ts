import type { z } from 'zod'
import {
  type ContractOperation,
  compileNormalizer,
  type Parameter,
  ValidationError,
  type ValidationFault,
} from '../contracts/index.js'
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
      const result = parameter.schema.safeParse(normalize(args[index] ?? absent), { error: missingValue })
      const issues = result.success ? unstorableTexts(result.data) : result.error.issues
      faults.push(...issues.map((issue) => toFault(parameter, issue)))
      return result.data
    })
    if (faults.length) throw new ValidationError(faults)
    return values
  }
}

type Issue = Pick<z.core.$ZodIssue, 'path' | 'message'>

/** The texts in a value that no database column takes: PostgreSQL knows no NUL character. */
function unstorableTexts(value: unknown, path: readonly PropertyKey[] = []): Issue[] {
  if (typeof value === 'string') {
    return value.includes('\0')
      ? [{ path: [...path], message: 'Invalid input: the character NUL is not allowed' }]
      : []
  }
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap((item, index) => unstorableTexts(item, [...path, index]))
  return Object.entries(value).flatMap(([key, member]) => unstorableTexts(member, [...path, key]))
}

/** Says of a member that is not there what a person would say. */
const missingValue: z.core.$ZodErrorMap = ({ code, input }) =>
  code === 'invalid_type' && input === undefined ? 'a value is required' : undefined

function toFault(parameter: Parameter, issue: Issue): ValidationFault {
  const path = issue.path.reduce<string>(
    (text, key) =>
      typeof key === 'number' ? `${text}[${key}]` : text ? `${text}.${String(key)}` : String(key),
    '',
  )
  const member = parameter.dto ? path : [parameter.name, path].filter(Boolean).join('.')
  return { message: member ? `${member}: ${issue.message}` : issue.message, members: member ? [member] : [] }
}
