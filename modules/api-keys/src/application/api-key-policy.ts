import type { Policy } from '@keel/framework'
import { apiKeyManagementPolicy } from '../contracts/index.js'

/**
 * Admits to API key management whoever signed in (interface document, "API keys": lets a user manage their own keys). API keys are not
 * admitted whatever they were granted, so that no key can widen itself, outlive its end or make another one; neither are clients, which own
 * none. Nor is an impersonator, or a program that acts in a user's name: the key would outlive the acting.
 */
export const apiKeyManagement: Policy = {
  name: apiKeyManagementPolicy,
  description: 'a user who signed in in person, not an API key',
  admits: ({ kind, userId, apiKeyId, impersonator, ranBy }) =>
    kind === 'user' && userId !== undefined && !apiKeyId && !impersonator && !ranBy,
}
