import { AutoApiController, ambient } from '@keel/framework'
import { BusinessError, EntityNotFoundError, ForbiddenError } from '@keel/framework/contracts'
import { CrudService, Databases, expectStamp, PageReader, RowRules, type Sql } from '@keel/framework/data'
import { demandPermission, hasPermission, RequiresPermission } from '@keel/framework/security'
import { OrganizationAppService, OrganizationPermissions } from '@keel/hub/contracts'
import {
  type CreateSavedViewDto,
  mostSavedViews,
  SavedViewAppService,
  type SavedViewDto,
  SavedViewErrors,
  type SavedViewListInput,
  SavedViewPermissions,
  type ShareSavedViewDto,
  type UpdateSavedViewDto,
} from '../contracts/index.js'
import { SavedView } from '../domain/saved-view.js'
import { SavedViewStore } from '../persistence/saved-views.js'

const nobody = { sharedRoleName: null, sharedOrganizationId: null } as const

/** Which views a caller sees is the entity's row rule. Their owners alone change them. */
@AutoApiController(SavedViewAppService)
@RequiresPermission(SavedViewPermissions)
export class SavedViewService
  extends CrudService(SavedViewAppService, SavedView, { searchIn: ['name'], defaultSorting: 'name' })
  implements SavedViewAppService
{
  constructor(
    databases: Databases,
    rules: RowRules,
    pages: PageReader,
    private readonly views: SavedViewStore,
    private readonly organizations: OrganizationAppService,
  ) {
    super(databases, rules, pages)
  }

  override listConditions({ entitySet, ownOnly }: Partial<SavedViewListInput>): readonly Sql[] {
    const { userId } = ambient().principal
    return this.view.equal({ entitySet, ...(ownOnly && { userId }) })
  }

  override async create(input: CreateSavedViewDto): Promise<SavedViewDto> {
    const { userId } = ambient().principal
    if (!userId) throw new ForbiddenError()
    await this.views.lock(userId)
    const views = await this.views.ofUser(userId)
    if (views.length >= mostSavedViews)
      throw new BusinessError(SavedViewErrors.TooMany, { most: mostSavedViews })
    if (input.isDefault) await this.clearDefault(userId, input.entitySet)
    return super.create({ ...input, userId })
  }

  override async update(id: string, input: UpdateSavedViewDto): Promise<SavedViewDto> {
    const row = await this.ownView(id)
    expectStamp(row, input)
    if (input.isDefault && !row.isDefault) await this.clearDefault(row.userId, row.entitySet)
    // What an owner writes into a view reaches nobody with whom they could not share it now.
    return super.update(id, (await this.mayReach(row)) ? input : { ...input, ...nobody })
  }

  override async delete(id: string): Promise<void> {
    await this.store.remove(await this.ownView(id))
  }

  @RequiresPermission(SavedViewPermissions.Edit)
  async setDefault(id: string): Promise<SavedViewDto> {
    const row = await this.ownView(id)
    if (!row.isDefault) {
      await this.clearDefault(row.userId, row.entitySet)
      await this.store.update(row, { isDefault: true })
    }
    return this.get(id)
  }

  @RequiresPermission(SavedViewPermissions.Share)
  async share(id: string, { roleName, organizationId }: ShareSavedViewDto): Promise<SavedViewDto> {
    const row = await this.ownView(id)
    const sharedRoleName = roleName ? await this.roleToShareWith(roleName) : null
    // One audience at a time: a role goes before an organization.
    const sharedOrganizationId = sharedRoleName ? null : (organizationId ?? null)
    if (sharedOrganizationId) await this.organizations.get(sharedOrganizationId)
    await this.store.update(row, { sharedRoleName, sharedOrganizationId })
    return this.get(id)
  }

  /** True while the caller may share with those with whom a view is shared. */
  private async mayReach({ sharedRoleName, sharedOrganizationId }: SavedView): Promise<boolean> {
    if (sharedRoleName) return hasPermission(OrganizationPermissions.AccessAll)
    if (!sharedOrganizationId) return true
    try {
      await this.organizations.get(sharedOrganizationId)
      return true
    } catch (error) {
      if (error instanceof EntityNotFoundError || error instanceof ForbiddenError) return false
      throw error
    }
  }

  /** A role reaches people of all organizations, so that customers could write to those of others. */
  private async roleToShareWith(roleName: string): Promise<string> {
    demandPermission(OrganizationPermissions.AccessAll)
    const name = await this.views.roleNamed(roleName)
    if (name === undefined) throw new EntityNotFoundError('Role', roleName)
    return name
  }

  /** The view for a change by its owner, whose views no other call changes until the unit of work ends. */
  private async ownView(id: string): Promise<SavedView> {
    const seen = await this.store.get(id)
    if (seen.userId !== ambient().principal.userId) throw new BusinessError(SavedViewErrors.NotOwner)
    await this.views.lock(seen.userId)
    return this.store.get(id)
  }

  /** Takes the mark from the default of a list: before another row gets it, because the database allows one. */
  private async clearDefault(userId: string, entitySet: string): Promise<void> {
    for (const view of await this.views.ofUser(userId))
      if (view.isDefault && view.entitySet === entitySet) await this.views.update(view, { isDefault: false })
  }
}
