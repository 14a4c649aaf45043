import { AutoApiController } from '@keel/framework'
import { RequiresPermission } from '@keel/framework/security'
import {
  type GetIdentitySecurityLogListInput,
  IdentityPermissions,
  IdentitySecurityLogAppService,
} from '../contracts/index.js'
import { StoredSecurityLogs } from '../persistence/stored-security-logs.js'

@AutoApiController(IdentitySecurityLogAppService)
@RequiresPermission(IdentityPermissions.SecurityLogs)
export class SecurityLogService implements IdentitySecurityLogAppService {
  constructor(private readonly logs: StoredSecurityLogs) {}

  async getList(input: GetIdentitySecurityLogListInput) {
    return this.logs.getList(input)
  }

  async get(id: string) {
    return this.logs.get(id)
  }
}
