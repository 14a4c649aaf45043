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
      const result = parameter.schema.safeParse(normalize(args[index] ?? absent))
      if (result.success) return result.data
      faults.push(...result.error.issues.map((issue) => toFault(parameter, issue)))
      return undefined
    })
    if (faults.length) throw new ValidationError(faults)
    return values
  }
}

function toFault(parameter: Parameter, issue: z.core.$ZodIssue): ValidationFault {
  const path = issue.path.reduce<string>(
    (text, key) =>
      typeof key === 'number' ? `${text}[${key}]` : text ? `${text}.${String(key)}` : String(key),
    '',
  )
  const member = parameter.dto ? path : [parameter.name, path].filter(Boolean).join('.')
  return { message: member ? `${member}: ${issue.message}` : issue.message, members: member ? [member] : [] }
}
