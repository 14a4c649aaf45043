import { isSecretSchema, unwrap, type z } from '../contracts/index.js'
import { isSecretName } from './logging.js'

/** Whether a member of a DTO holds a secret: it is marked with `secret`, or is a text called like one. */
export function isSecretMember(name: string, schema: z.ZodType): boolean {
  return isSecretSchema(schema) || (isSecretName(name) && unwrap(schema)._zod.def.type === 'string')
}
