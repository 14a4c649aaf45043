import { AutoApiController } from '@keel/framework'
import { Authenticated, demandPermission, hasPermission } from '@keel/framework/security'
import {
  PermissionHistoryAppService,
  type PermissionHistoryInput,
  PermissionManagementPermissions,
  type PermissionStateDto,
} from '../contracts/index.js'
import { GrantHistory } from '../persistence/grant-history.js'
import { HolderAccess, keyOf } from './holder-access.js'

/** The history of a holder is for those who may manage it, everybody's for those who hold the permission. Holders that are gone have one too. */
@AutoApiController(PermissionHistoryAppService)
@Authenticated()
export class HistoryService implements PermissionHistoryAppService {
  constructor(
    private readonly holders: HolderAccess,
    private readonly history: GrantHistory,
  ) {}

  async getList(input: PermissionHistoryInput) {
    const { providerName, providerKey } = input
    if (!providerName || !providerKey) {
      demandPermission(PermissionManagementPermissions.History)
      return this.history.page(input)
    }
    const holder = await this.visible(providerName, providerKey)
    return this.history.page({ ...input, ...holder })
  }

  async getStateAt(time: Date, providerName: string, providerKey: string): Promise<PermissionStateDto> {
    const holder = await this.visible(providerName, providerKey)
    return { time, ...holder, ...(await this.history.stateAt(holder, time)) }
  }

  private async visible(providerName: string, providerKey: string) {
    const holder = keyOf(providerName, providerKey)
    if (!hasPermission(PermissionManagementPermissions.History)) await this.holders.demand(holder)
    return holder
  }
}
