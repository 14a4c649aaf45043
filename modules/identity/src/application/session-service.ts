import { AutoApiController } from '@keel/framework'
import { RequiresPermission } from '@keel/framework/security'
import {
  type GetIdentitySessionListInput,
  IdentityPermissions,
  IdentitySessionAppService,
} from '../contracts/index.js'
import { StoredSessions } from '../persistence/stored-sessions.js'

@AutoApiController(IdentitySessionAppService)
@RequiresPermission(IdentityPermissions.Sessions)
export class SessionService implements IdentitySessionAppService {
  constructor(private readonly sessions: StoredSessions) {}

  async getList(input: GetIdentitySessionListInput) {
    return this.sessions.getList(input)
  }

  async get(id: string) {
    return this.sessions.get(id)
  }

  async revoke(id: string): Promise<void> {
    await this.sessions.revoke(id)
  }

  async revokeAll(userId: string): Promise<void> {
    await this.sessions.endAll(userId)
  }
}
