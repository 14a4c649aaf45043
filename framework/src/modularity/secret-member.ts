import { isSecretSchema, unwrap, type z } from '../contracts/index.js'
import { isSecretName } from './logging.js'

/** True when a member of a DTO is marked with `secret`, or is a text with the name of a secret. */
export function isSecretMember(name: string, schema: z.ZodType): boolean {
  return isSecretSchema(schema) || (isSecretName(name) && unwrap(schema)._zod.def.type === 'string')
}
