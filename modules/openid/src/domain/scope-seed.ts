import { z } from '@keel/framework/contracts'
import { apiScope, identityScopes } from '../contracts/index.js'

/** Names that the server knows by itself. */
const builtIn: readonly string[] = [...identityScopes, 'openid', 'offline_access']

/** A scope as the configuration defines it. */
export const ScopeSeed = z.object({
  name: z
    .string()
    .max(200)
    .regex(/^\w+$/)
    .refine((name) => !builtIn.includes(name), 'This scope is built in'),
  /** The name when not given. */
  displayName: z.string().max(200).optional(),
  description: z.string().max(1000).optional(),
  /** The audiences of its tokens: the API, which is the only one, or none. */
  resources: z.array(z.literal(apiScope)).max(1).default([]),
})
export type ScopeSeed = z.output<typeof ScopeSeed>

/** The scope that is there whatever the configuration says: without it nobody can call the API. */
export const apiScopeSeed: ScopeSeed = { name: apiScope, displayName: 'API scope', resources: [apiScope] }
