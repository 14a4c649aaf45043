import { type ContractOperation, isSecretSchema, unwrap, type z } from '../contracts/index.js'
import { ambient } from '../modularity/ambient.js'
import type { Interceptor } from '../modularity/interceptor.js'
import { isSecretName } from '../modularity/logging.js'
import { isAudited } from './audited.js'
import { type IsSecret, maskedArguments } from './masked-json.js'
import { remembered } from './remembered.js'

/** As long as ABP's column. */
const longestParameters = 2000

/** Notes every call of an operation in the audit scope at hand; reads only when the host audits them. */
export function auditCalls({ includeReads }: { readonly includeReads: boolean }): Interceptor {
  return {
    step: 'audit',
    intercept({ contract, operation, service }) {
      if (operation.route.verb === 'GET' && !includeReads) return undefined
      if (!isAudited(service, operation.name)) return undefined
      const serviceName = `${contract.contract.service.name}.${contract.contract.name}`
      const write = parameterWriter(operation)
      return (args, next) => {
        const scope = ambient().audit
        if (!scope) return next(args)
        const action = { serviceName, methodName: operation.name, parameters: write(args) }
        return scope.act(action, () => next(args))
      }
    },
  }
}

function parameterWriter({ parameters }: ContractOperation): (args: readonly unknown[]) => string {
  const isSecret = secretMembersOf({ parameters })
  const names = parameters.map(({ name }) => name)
  return (args) => maskedArguments(names, args, longestParameters, isSecret)
}

/** Tells by its name whether a member of the input of an operation, at any depth, is a secret. */
export function secretMembersOf({ parameters }: Pick<ContractOperation, 'parameters'>): IsSecret {
  const secrets = new Set<string>()
  for (const { name, schema } of parameters) collectSecrets(name, schema, secrets)
  return remembered((name) => secrets.has(name.toLowerCase()) || isSecretName(name))
}

/** The names, in lower case, of the members that are marked with `secret`; callers may use any case. */
function collectSecrets(
  name: string,
  schema: z.ZodType,
  found: Set<string>,
  seen = new Set<unknown>(),
): void {
  if (isSecretSchema(schema)) found.add(name.toLowerCase())
  const inner = unwrap(schema)
  if (seen.has(inner)) return
  seen.add(inner)
  const { shape, element, valueType } = inner._zod.def as unknown as {
    shape?: Record<string, z.ZodType>
    element?: z.ZodType
    valueType?: z.ZodType
  }
  for (const [member, memberSchema] of Object.entries(shape ?? {}))
    collectSecrets(member, memberSchema, found, seen)
  for (const item of [element, valueType]) if (item) collectSecrets(name, item, found, seen)
}
