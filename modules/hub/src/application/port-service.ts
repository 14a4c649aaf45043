import { AutoApiController, Clock } from '@keel/framework'
import { faultOf, type LookupDto, type LookupInput, ValidationError } from '@keel/framework/contracts'
import {
  CrudService,
  Databases,
  type ImportedRow,
  Imports,
  type NewRow,
  PageReader,
  ReferenceSets,
  RowRules,
} from '@keel/framework/data'
import { DistributedEventBus } from '@keel/framework/events'
import { Authenticated, RequiresPermission } from '@keel/framework/security'
import {
  PortAppService,
  PortCodeChangedEto,
  type PortDto,
  type PortInput,
  PortPermissions,
} from '../contracts/index.js'
import { Country } from '../domain/country.js'
import { functionCodes, Port, withoutDiacritics } from '../domain/port.js'
import { occurrence } from './occurrence.js'

const noTerminal = { isRailTerminal: false, isRoadTerminal: false, isInlandDepot: false } as const

@AutoApiController(PortAppService)
@RequiresPermission(PortPermissions)
export class PortService extends CrudService(PortAppService, Port, {
  searchIn: ['unLocode', 'name', 'nameWoDiacritics'],
  defaultSorting: 'name',
  lookup: { code: 'unLocode' },
  sheet: { fileName: 'ports' },
  imports: { key: 'unLocode' },
}) {
  constructor(
    databases: Databases,
    rules: RowRules,
    pages: PageReader,
    imports: Imports,
    private readonly references: ReferenceSets,
    private readonly events: DistributedEventBus,
    private readonly clock: Clock,
  ) {
    super(databases, rules, pages, imports)
  }

  /** For everybody: forms of many kinds offer ports (domain model, section 6). */
  @Authenticated()
  override getLookup(input: LookupInput): Promise<LookupDto[]> {
    return super.getLookup(input)
  }

  override async create(input: PortInput): Promise<PortDto> {
    return super.create({ ...noTerminal, ...(await this.derived(input)) })
  }

  override async update(id: string, input: PortInput): Promise<PortDto> {
    const row = await this.store.get(id)
    if (input.unLocode !== row.unLocode) await this.tellCode(row, input.unLocode)
    return super.update(id, await this.derived(input, row))
  }

  override async prepareImport(rows: readonly ImportedRow<Port, PortInput>[]): Promise<void> {
    for (const row of rows)
      await row.check(async () => {
        const { input, before, values } = row
        row.values = { ...values, ...(!before && noTerminal), ...(await this.derived(input, before)) }
      })
  }

  /** Tells those who name the port by its code (domain model, section 6.5), of all ports in one order. */
  private tellCode(row: Port, unLocode: string): Promise<void> {
    const event = { ...occurrence(row, unLocode, this.clock.now), oldCode: row.unLocode }
    return this.events.publish(new PortCodeChangedEto(event), { key: PortCodeChangedEto.eventName })
  }

  /** The port with its derived members: country, plain name, and classifier of its flags. */
  private async derived(input: PortInput, row?: Port): Promise<PortInput & NewRow<Port>> {
    const countryCode = input.unLocode.slice(0, 2)
    const [countryId] = (await this.references.matching(Country, 'code', [countryCode])).idsBy(
      'code',
      countryCode,
    )
    if (!countryId)
      throw new ValidationError([faultOf('unLocode', 'Hub:Validation:NoSuchCountry', { countryCode })])
    return {
      ...input,
      countryCode,
      countryId,
      nameWoDiacritics: withoutDiacritics(input.name),
      functionCodes: functionCodes({ ...(row?.get() as Port | undefined), ...input }),
    }
  }
}
