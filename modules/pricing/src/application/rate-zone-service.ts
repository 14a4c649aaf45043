import { AutoApiController } from '@keel/framework'
import { BusinessError, faultOf, ValidationError } from '@keel/framework/contracts'
import { CrudService, Databases, PageReader, RowRules, type Sql } from '@keel/framework/data'
import { RequiresPermission } from '@keel/framework/security'
import {
  PricingErrors,
  RateZoneAppService,
  RateZoneMemberAppService,
  type RateZoneMemberDto,
  type RateZoneMemberInput,
  type RateZoneMemberListInput,
  RateZonePermissions,
  type RateZoneRefDto,
} from '../contracts/index.js'
import { RateZone, RateZoneMember } from '../domain/rate-zone.js'
import { isZoneUsed, zonesOfPort } from '../persistence/rate-zone-queries.js'
import { RateZoneMemberStore, RateZoneStore } from '../persistence/stores.js'
import { KnownPorts } from './known-ports.js'

@AutoApiController(RateZoneAppService)
@RequiresPermission(RateZonePermissions)
export class RateZoneService extends CrudService(RateZoneAppService, RateZone, {
  searchIn: ['code', 'name'],
  defaultSorting: 'code',
}) {
  constructor(
    databases: Databases,
    rules: RowRules,
    pages: PageReader,
    private readonly members: RateZoneMemberStore,
  ) {
    super(databases, rules, pages)
  }

  /** Its members go with it. */
  override async delete(id: string): Promise<void> {
    const zone = await this.store.get(id)
    if (await isZoneUsed(this.store.database, id))
      throw new BusinessError(PricingErrors.RateZoneInUse, { code: zone.code })
    for (const member of await this.members.ofZone(id)) await this.members.remove(member)
    await this.store.remove(zone)
  }

  @RequiresPermission(RateZonePermissions.View)
  resolve(unLocode: string): Promise<RateZoneRefDto[]> {
    return zonesOfPort(this.store.database, unLocode)
  }
}

/** Members of zones are written by those who may change the zone. */
class RateZoneMemberPermissions {
  static readonly View = RateZonePermissions.View
  static readonly Create = RateZonePermissions.Edit
  static readonly Edit = RateZonePermissions.Edit
  static readonly Delete = RateZonePermissions.Edit
}

@AutoApiController(RateZoneMemberAppService)
@RequiresPermission(RateZoneMemberPermissions)
export class RateZoneMemberService extends CrudService(RateZoneMemberAppService, RateZoneMember, {
  searchIn: ['unLocode', 'countryCode'],
  defaultSorting: 'countryCode, unLocode',
}) {
  constructor(
    databases: Databases,
    rules: RowRules,
    pages: PageReader,
    private readonly zones: RateZoneStore,
    private readonly ports: KnownPorts,
  ) {
    super(databases, rules, pages)
  }

  override listConditions({ rateZoneId }: RateZoneMemberListInput): readonly Sql[] {
    return this.view.equal({ rateZoneId })
  }

  override async create(input: RateZoneMemberInput): Promise<RateZoneMemberDto> {
    await this.check(input)
    return super.create(input)
  }

  override async update(id: string, input: RateZoneMemberInput): Promise<RateZoneMemberDto> {
    await this.check(input)
    return super.update(id, {
      ...input,
      unLocode: input.unLocode ?? null,
      countryCode: input.countryCode ?? null,
    })
  }

  private async check({ rateZoneId, unLocode, countryCode }: RateZoneMemberInput): Promise<void> {
    if ((unLocode == null) === (countryCode == null))
      throw new ValidationError([faultOf('unLocode', 'Pricing:Validation:PortOrCountry')])
    if (!(await this.zones.find(rateZoneId)))
      throw new ValidationError([faultOf('rateZoneId', 'Validation:NoSuchEntity')])
    await this.ports.demand([unLocode])
  }
}
