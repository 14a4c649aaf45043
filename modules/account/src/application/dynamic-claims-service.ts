import { AutoApiController } from '@keel/framework'
import { Authenticated } from '@keel/framework/security'
import { DynamicClaimsAppService } from '../contracts/index.js'

/**
 * Answers those who ask for claims to be read again, as resource servers of ABP do before they look. There is
 * nothing to do: each request's principal is made of what the database says then, and a change is heard by
 * all processes.
 */
@AutoApiController(DynamicClaimsAppService)
@Authenticated()
export class DynamicClaimsService implements DynamicClaimsAppService {
  async refresh(): Promise<void> {}
}
