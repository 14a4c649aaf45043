import { AutoApiController, RequiresFeature } from '@keel/framework'
import {
  exportOperations,
  faultOf,
  type LookupDto,
  type LookupInput,
  ValidationError,
} from '@keel/framework/contracts'
import {
  CrudService,
  Databases,
  type NewRow,
  PageReader,
  ReferenceSets,
  RowRules,
} from '@keel/framework/data'
import { Authenticated, RequiresPermission } from '@keel/framework/security'
import {
  HubFeatures,
  PortAppService,
  type PortDto,
  type PortInput,
  PortPermissions,
} from '../contracts/index.js'
import { Country } from '../domain/country.js'
import { functionCodes, Port, withoutDiacritics } from '../domain/port.js'

@AutoApiController(PortAppService)
@RequiresPermission(PortPermissions)
@RequiresFeature(HubFeatures.Exports.name, ...exportOperations)
export class PortService extends CrudService(PortAppService, Port, {
  searchIn: ['unLocode', 'name', 'nameWoDiacritics'],
  defaultSorting: 'name',
  lookup: { code: 'unLocode' },
  sheet: { fileName: 'ports' },
}) {
  constructor(
    databases: Databases,
    rules: RowRules,
    pages: PageReader,
    private readonly references: ReferenceSets,
  ) {
    super(databases, rules, pages)
  }

  /** For everybody: forms of many kinds offer ports (domain model, section 6). */
  @Authenticated()
  override getLookup(input: LookupInput): Promise<LookupDto[]> {
    return super.getLookup(input)
  }

  override async create(input: PortInput): Promise<PortDto> {
    return super.create({
      isRailTerminal: false,
      isRoadTerminal: false,
      isInlandDepot: false,
      ...(await this.derived(input)),
    })
  }

  override async update(id: string, input: PortInput): Promise<PortDto> {
    const row = await this.store.get(id)
    return super.update(id, await this.derived(input, row))
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
