import { environmentOf } from '@keel/framework/programs'

/**
 * The variables for processes that are started here: in Development, unless they name another environment.
 * Left to themselves hosts and the migrator are in Production.
 */
export function inDevelopment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...env, KEEL_ENVIRONMENT: environmentOf(env, 'Development') }
}
