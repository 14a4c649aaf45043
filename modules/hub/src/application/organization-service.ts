import { AutoApiController, Clock } from '@keel/framework'
import {
  BusinessError,
  ForbiddenError,
  faultOf,
  type LookupDto,
  type LookupInput,
  type PagedInput,
  pageOf,
  ValidationError,
} from '@keel/framework/contracts'
import {
  CrudService,
  Databases,
  expectStamp,
  type ImportedRow,
  Imports,
  PageReader,
  ReferenceSets,
  RowRules,
} from '@keel/framework/data'
import { DistributedEventBus } from '@keel/framework/events'
import { Authenticated, demandPermission, RequiresPermission } from '@keel/framework/security'
import {
  type CreateOrganizationDto,
  HubErrors,
  type MergeOrganizationDto,
  type MoveOrganizationDto,
  OrganizationAppService,
  OrganizationCodeChangedEto,
  type OrganizationDto,
  OrganizationMergedEto,
  OrganizationNodeDto,
  OrganizationPermissions,
  type UpdateOrganizationDto,
  type UpsertedDto,
  type UpsertedManyDto,
  type UpsertOrganizationDto,
  type UpsertOrganizationsDto,
} from '../contracts/index.js'
import { deepestHierarchy, depthOf, hierarchyPath, Organization } from '../domain/organization.js'
import { OrganizationContext } from '../domain/organization-context.js'
import { Port } from '../domain/port.js'
import {
  isAtOrBelow,
  isCarrierOrForwarder,
  OrganizationHierarchy,
  organizationNodes,
} from '../persistence/organization-hierarchy.js'
import { OrganizationMerge } from '../persistence/organization-merge.js'
import { OrganizationStore } from '../persistence/stores.js'
import { MemberRules } from './member-rules.js'
import { occurrence } from './occurrence.js'
import { demandPortsAndCodes, portFaults } from './reference-faults.js'
import { type UpsertSteps, Upserts } from './upserts.js'

/**
 * Members that only staff change: trust, activities and place of a company, and its unique names. The refusal
 * of a taken name would show customers which names other companies have.
 */
const staffMembers = [
  'code',
  'externalId',
  'creditStatus',
  'isActive',
  'isConsignor',
  'isConsignee',
  'isControllingCustomer',
  'isForwarder',
  'isCarrier',
  'isBroker',
  'parentOrganizationId',
] as const

const NodePage = pageOf(OrganizationNodeDto)

@AutoApiController(OrganizationAppService)
@RequiresPermission(OrganizationPermissions)
export class OrganizationService extends CrudService(OrganizationAppService, Organization, {
  searchIn: ['code', 'fullName'],
  defaultSorting: 'code',
  lookup: { name: 'fullName', shownToAll: isCarrierOrForwarder },
  sheet: { fileName: 'organizations' },
  imports: {
    key: 'code',
    references: {
      parentOrganization: {
        member: 'parentOrganizationId',
        entity: Organization,
        by: 'code',
        unknown: 'Hub:Validation:NoSuchOrganization',
      },
      closestPort: { member: 'closestPortId', entity: Port, by: 'unLocode', unknown: portFaults.unknown },
    },
  },
}) {
  private readonly upsertSteps: UpsertSteps<UpsertOrganizationDto> = {
    create: { permission: OrganizationPermissions.Create, run: (input) => this.create(input) },
    taken: [HubErrors.OrganizationExternalIdAlreadyExists, HubErrors.OrganizationCodeAlreadyExists],
    find: ({ externalId }) => this.organizations.withExternalId(externalId),
    update: async (id, input) => {
      await this.update(id, input)
    },
  }

  constructor(
    databases: Databases,
    rules: RowRules,
    pages: PageReader,
    imports: Imports,
    private readonly context: OrganizationContext,
    private readonly hierarchy: OrganizationHierarchy,
    private readonly organizations: OrganizationStore,
    private readonly members: MemberRules,
    private readonly merging: OrganizationMerge,
    private readonly references: ReferenceSets,
    private readonly clock: Clock,
    private readonly upserts: Upserts,
    private readonly events: DistributedEventBus,
  ) {
    super(databases, rules, pages, imports)
  }

  /** For everybody: their own organizations, and those that carry and forward (domain model, section 3). */
  @Authenticated()
  override getLookup(input: LookupInput): Promise<LookupDto[]> {
    return super.getLookup(input)
  }

  /** Staff only: customers would not see the new row, and refusals would show them the codes of others. */
  override async create(input: CreateOrganizationDto): Promise<OrganizationDto> {
    await this.demandStaff()
    await this.checkPort(input)
    if (input.parentOrganizationId) await this.hierarchy.lock()
    return super.create({
      ...input,
      hierarchyPath: await this.pathBelow(input.parentOrganizationId, input.code),
    })
  }

  override async update(id: string, input: UpdateOrganizationDto): Promise<OrganizationDto> {
    if (input.code !== undefined || input.parentOrganizationId !== undefined) await this.hierarchy.lock()
    const row = await this.store.get(id)
    expectStamp(row, input)
    await this.refuseStaffMembers(row, input)
    await this.checkPort(input, row)
    const code = input.code ?? row.code
    const parentId =
      input.parentOrganizationId === undefined ? row.parentOrganizationId : input.parentOrganizationId
    if (code !== row.code || parentId !== row.parentOrganizationId)
      await this.changePath(row, await this.pathBelow(parentId, code))
    if (code !== row.code) await this.tellCode(row, code)
    return super.update(id, input)
  }

  @RequiresPermission(OrganizationPermissions.Edit)
  upsert(input: UpsertOrganizationDto): Promise<UpsertedDto> {
    return this.upserts.one(input, this.upsertSteps)
  }

  @RequiresPermission(OrganizationPermissions.Edit)
  upsertMany({ rows }: UpsertOrganizationsDto): Promise<UpsertedManyDto> {
    return this.upserts.many(rows, this.upsertSteps)
  }

  override async delete(id: string): Promise<void> {
    await this.hierarchy.lock()
    const row = await this.store.get(id)
    await this.organizations.lock(id)
    if (await this.hierarchy.isUsed(id))
      throw new BusinessError(HubErrors.OrganizationInUse, { code: row.code })
    await super.delete(id)
    await this.members.revokeInvitations(id)
  }

  /** Those below go first, so that the order of the ids does not matter. */
  override async deleteMany(ids: readonly string[]): Promise<void> {
    await this.hierarchy.lock()
    const rows = await this.organizations.withIds(ids)
    const levels = new Map(rows.map(({ id, hierarchyPath: path }) => [id, depthOf(path)]))
    const levelOf = (id: string) => levels.get(id.toLowerCase()) ?? 0
    await super.deleteMany([...ids].sort((a, b) => levelOf(b) - levelOf(a)))
  }

  @RequiresPermission(OrganizationPermissions.View)
  async getTree(id: string, input: PagedInput) {
    const { hierarchyPath: path } = await this.store.get(id)
    return this.pages.page(NodePage, organizationNodes, {
      ...input,
      conditions: [isAtOrBelow(path)],
      defaultSorting: 'hierarchyPath',
    })
  }

  @RequiresPermission(OrganizationPermissions.Edit)
  async move(id: string, { newParentId = null, ...input }: MoveOrganizationDto): Promise<OrganizationDto> {
    await this.hierarchy.lock()
    const row = await this.store.get(id)
    await this.demandStaff()
    expectStamp(row, input)
    await this.placeBelow(row, newParentId, 'newParentId')
    return this.get(id)
  }

  @RequiresPermission(OrganizationPermissions.Delete)
  async merge(id: string, { sourceId, ...input }: MergeOrganizationDto): Promise<OrganizationDto> {
    await this.demandStaff()
    demandPermission(OrganizationPermissions.ManageMembers)
    await this.members.lock()
    const [target, source] = [await this.store.get(id), await this.store.find(sourceId)]
    expectStamp(target, input)
    if (!source) throw new ValidationError([faultOf('sourceId', 'Hub:Validation:NoSuchOrganization')])
    const { code, fullName: name } = target
    if (source.id === target.id) throw new BusinessError(HubErrors.OrganizationMergesWithItself, { code })
    if (target.hierarchyPath.startsWith(source.hierarchyPath))
      throw new BusinessError(HubErrors.OrganizationHierarchyCycle, { code })
    await this.organizations.lock(source.id)
    for (const child of await this.organizations.childrenOf(source.id))
      await this.placeBelow(child, target.id, 'sourceId')
    await this.merging.run(source, target)
    const now = this.clock.now
    const merged = { name, sourceId: source.id, sourceCode: source.code }
    target.raise(new OrganizationMergedEto({ ...occurrence(target, code, now), ...merged }))
    await this.store.update(target, { lastModificationTime: now })
    await this.store.update(source, { mergedIntoId: target.id })
    await this.delete(source.id)
    return this.get(id)
  }

  /** Puts it below its parent again, which may have moved meanwhile. A parent that is deleted has to be restored first. */
  override async restore(id: string): Promise<OrganizationDto> {
    await this.hierarchy.lock()
    const row = await this.store.restore(id)
    const path = await this.pathBelow(row.parentOrganizationId, row.code)
    await this.store.update(row, { hierarchyPath: path, mergedIntoId: null })
    return this.get(id)
  }

  /** Organizations that are there keep their place: a file neither moves them nor changes their codes. */
  override async prepareImport(
    rows: readonly ImportedRow<Organization, CreateOrganizationDto>[],
  ): Promise<void> {
    await this.hierarchy.lock()
    const { all } = await this.context.current()
    if (!all && rows.some(({ before }) => !before)) throw new ForbiddenError()
    const parents = await this.importedParents(rows)
    for (const row of rows) {
      const { input, before, values } = row
      const parentId = input.parentOrganizationId
      await row.check(async () => {
        if (before) await this.refuseStaffMembers(before, input)
        await this.checkPort(input, before)
      })
      if (before && parentId !== undefined && parentId !== before.parentOrganizationId)
        row.refuse('parentOrganizationId', 'Hub:Validation:ParentNotImported')
      if (before) continue
      await row.check(() => {
        const path = this.pathIn(parents, parentId, input.code)
        row.values = { ...values, hierarchyPath: path }
        if (values.id && !row.faults.length) parents.set(values.id, path)
      })
    }
  }

  /** The paths of the organizations that are named as parents, by id. */
  private async importedParents(
    rows: readonly ImportedRow<Organization, CreateOrganizationDto>[],
  ): Promise<Map<string, string>> {
    const ids = new Set(rows.flatMap(({ input }) => input.parentOrganizationId ?? []))
    const parents = await this.references.rows(Organization, ids)
    const paths = [...ids].flatMap((id): [string, string][] => {
      const path = parents.value(id, 'hierarchyPath')
      return path && parents.value(id, 'isDeleted') === 'f' ? [[id, path]] : []
    })
    return new Map(paths)
  }

  private async demandStaff(): Promise<void> {
    if (!(await this.context.current()).all) throw new ForbiddenError()
  }

  /** Gives an organization, with what is below it, another place in the tree. */
  private async placeBelow(row: Organization, parentId: string | null, member: string): Promise<void> {
    if (parentId === row.parentOrganizationId) return
    await this.changePath(row, await this.pathBelow(parentId, row.code, member))
    // The row has its new path already, by the same statement as those below it.
    await this.store.update(row, { parentOrganizationId: parentId })
  }

  /** Refuses changes of `staffMembers` by customers; unchanged values are accepted. */
  private async refuseStaffMembers(row: Organization, input: UpdateOrganizationDto): Promise<void> {
    if ((await this.context.current()).all) return
    const changed = staffMembers.filter(
      (member) => input[member] !== undefined && (input[member] ?? null) !== row[member],
    )
    if (changed.length)
      throw new ValidationError(changed.map((member) => faultOf(member, 'Hub:Validation:OnlyStaffChange')))
  }

  /** Tells those who keep the code of the organization beside its id (domain model, section 6.5). */
  private tellCode(row: Organization, code: string): Promise<void> {
    const event = { ...occurrence(row, code, this.clock.now), oldCode: row.code }
    return this.events.publish(new OrganizationCodeChangedEto(event), { key: row.id })
  }

  private checkPort(input: UpdateOrganizationDto, before?: Organization): Promise<void> {
    return demandPortsAndCodes(this.references, { ports: ['closestPortId'] }, input, before)
  }

  private async pathBelow(
    parentId: string | null | undefined,
    code: string,
    member?: string,
  ): Promise<string> {
    const parent = parentId ? await this.store.find(parentId) : undefined
    return this.pathIn(new Map(parent && [[parent.id, parent.hierarchyPath]]), parentId, code, member)
  }

  /** The path below one of these parents, by their ids, or at the top. */
  private pathIn(
    parents: ReadonlyMap<string, string>,
    parentId: string | null | undefined,
    code: string,
    member = 'parentOrganizationId',
  ): string {
    if (!parentId) return hierarchyPath(code)
    const parentPath = parents.get(parentId)
    if (parentPath === undefined)
      throw new ValidationError([faultOf(member, 'Hub:Validation:NoSuchOrganization')])
    const path = hierarchyPath(code, parentPath)
    if (depthOf(path) > deepestHierarchy)
      throw new BusinessError(HubErrors.OrganizationTooDeep, { code, deepest: deepestHierarchy })
    return path
  }

  /** Gives an organization and everything below it their new paths. */
  private async changePath(row: Organization, path: string): Promise<void> {
    if (path.startsWith(row.hierarchyPath) && path !== row.hierarchyPath) {
      throw new BusinessError(HubErrors.OrganizationHierarchyCycle, { code: row.code })
    }
    const deepest = (await this.hierarchy.deepestBelow(row.hierarchyPath)) ?? 1
    const levels = deepest - depthOf(row.hierarchyPath) + depthOf(path)
    if (levels > deepestHierarchy)
      throw new BusinessError(HubErrors.OrganizationTooDeep, { code: row.code, deepest: deepestHierarchy })
    await this.hierarchy.move(row.hierarchyPath, path)
  }
}
