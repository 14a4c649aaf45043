import { AutoApiController, Clock, computedResult } from '@keel/framework'
import {
  BusinessError,
  type FileContent,
  faultOf,
  pageLimits,
  ValidationError,
} from '@keel/framework/contracts'
import {
  CrudService,
  Databases,
  expectStamp,
  Locks,
  type NewRow,
  PageReader,
  ReferenceSets,
  RowRules,
  type Sql,
} from '@keel/framework/data'
import { demandPermission, RequiresPermission } from '@keel/framework/security'
import {
  type CompareRateCardsInput,
  type CopyRateCardDto,
  type CreateRateCardDto,
  type ExpiringRateCardsInput,
  type ExtendValidityDto,
  type ImportRateSheetInput,
  type PricingActionDto,
  PricingErrors,
  type PricingReasonDto,
  type RateCardAction,
  RateCardAppService,
  RateCardDto,
  type RateCardFileInput,
  type RateCardListInput,
  RateCardPermissions,
  RateCardStatus,
  RateDifferenceDto,
  type RateSheetReportDto,
  rateCardTransitions,
  targetOfAction,
  type UpdateRateCardDto,
} from '../contracts/index.js'
import { RateCard } from '../domain/rate-card.js'
import { differencesBetween } from '../domain/rate-card-differences.js'
import {
  cardCountsOn,
  cardEndsWithin,
  comparedLines,
  gapsOf,
  overlappingCard,
} from '../persistence/rate-card-queries.js'
import { RateCardStore } from '../persistence/stores.js'
import { KnownOrganizations } from './known-organizations.js'
import { demandDraft, editor, RateCardParts } from './rate-card-parts.js'
import { RateSheets } from './rate-sheets.js'
import { demandCurrency } from './reference-rules.js'
import { refusedRateCardAction } from './refusals.js'

@AutoApiController(RateCardAppService)
@RequiresPermission(RateCardPermissions)
export class RateCardService extends CrudService(RateCardAppService, RateCard, {
  searchIn: ['reference', 'name', 'contractNumber'],
  defaultSorting: 'reference, creationTime DESC',
}) {
  constructor(
    databases: Databases,
    rules: RowRules,
    pages: PageReader,
    private readonly cards: RateCardStore,
    private readonly parts: RateCardParts,
    private readonly sheets: RateSheets,
    private readonly organizations: KnownOrganizations,
    private readonly references: ReferenceSets,
    private readonly locks: Locks,
    private readonly clock: Clock,
  ) {
    super(databases, rules, pages)
  }

  override listConditions(input: RateCardListInput | RateCardFileInput): readonly Sql[] {
    const { status, cardType, transportModeCode, organizationId, validOn } = input
    return [
      ...this.view.equal({ status, cardType, transportModeCode, organizationId }),
      ...(validOn ? [cardCountsOn(validOn)] : []),
    ]
  }

  override async create(input: CreateRateCardDto): Promise<RateCardDto> {
    const values = await this.checked(input)
    return super.create({ ...input, ...values, lastEditorId: editor() })
  }

  override async update(id: string, input: UpdateRateCardDto): Promise<RateCardDto> {
    const card = await this.cards.get(id)
    expectStamp(card, input)
    demandDraft(card)
    const { validFrom, validTo, currencyCode } = card
    const values = await this.checked({ validFrom, validTo, currencyCode, ...withoutUndefined(input) }, card)
    const { concurrencyStamp: _, ...changes } = input
    await this.cards.update(card, { ...changes, ...values, lastEditorId: editor() })
    return this.get(id)
  }

  /** Its lanes, lines and breaks go with it. */
  override async delete(id: string): Promise<void> {
    const card = await this.cards.get(id)
    demandDraft(card)
    await this.parts.removeOfCard(id)
    await this.cards.remove(card)
  }

  @RequiresPermission(RateCardPermissions.View)
  getExpiring({ days }: ExpiringRateCardsInput): Promise<RateCardDto[]> {
    const { today } = this
    return this.pages.array(RateCardDto, this.view, {
      conditions: [cardEndsWithin(today, days)],
      maxResultCount: pageLimits.most,
      defaultSorting: 'validTo, reference',
    })
  }

  @RequiresPermission(RateCardPermissions.View)
  async getDifferences(id: string, { otherId }: CompareRateCardsInput): Promise<RateDifferenceDto[]> {
    const [card, other] = [await this.cards.get(id), await this.cards.get(otherId)]
    const { database } = this.store
    const differences = differencesBetween(
      await comparedLines(database, other.id),
      await comparedLines(database, card.id),
    )
    return differences.map((one) => computedResult(RateDifferenceDto, one))
  }

  @RequiresPermission(RateCardPermissions.View)
  getSheet(id: string): Promise<FileContent> {
    return this.sheets.export(id)
  }

  @RequiresPermission(RateCardPermissions.Import)
  async importSheet(id: string, input: ImportRateSheetInput): Promise<RateSheetReportDto> {
    demandPermission(RateCardPermissions.Edit)
    return this.sheets.import(id, input)
  }

  @RequiresPermission(RateCardPermissions.Edit)
  async submit(id: string, input: PricingActionDto): Promise<RateCardDto> {
    const card = await this.loaded(id, input)
    const to = this.demandMove(card, 'submit')
    const { lanes, laneWithoutFreight, laneWithoutAmount, firstQuantity } = await gapsOf(
      this.store.database,
      id,
    )
    const { reference } = card
    if (!lanes) throw new BusinessError(PricingErrors.RateCardNoLane, { reference })
    if (laneWithoutFreight !== null)
      throw new BusinessError(PricingErrors.RateCardNoFreightLine, {
        reference,
        laneNumber: laneWithoutFreight,
      })
    if (laneWithoutAmount !== null)
      throw new BusinessError(PricingErrors.RateCardLineWithoutAmount, {
        reference,
        laneNumber: laneWithoutAmount,
      })
    if (firstQuantity !== null)
      throw new BusinessError(PricingErrors.RateBreakNotAscending, { fromQuantity: firstQuantity })
    return this.written(card, { status: to, statusReason: null })
  }

  @RequiresPermission(RateCardPermissions.Approve)
  async approve(id: string, input: PricingActionDto): Promise<RateCardDto> {
    const card = await this.loaded(id, input)
    const status = this.demandMove(card, 'approve')
    const userId = editor()
    if (userId !== null && userId === card.lastEditorId)
      throw new BusinessError(PricingErrors.RateCardApproverIsEditor, { reference: card.reference })
    await this.demandNoOverlap(card)
    const before = card.previousVersionId ? await this.cards.find(card.previousVersionId) : undefined
    if (before && targetOfAction('supersede', before.status) !== undefined)
      await this.cards.update(before, { status: RateCardStatus.Superseded })
    return this.written(card, { status, approvedById: userId, approvalTime: this.clock.now })
  }

  @RequiresPermission(RateCardPermissions.Approve)
  async return(id: string, { reason, ...input }: PricingReasonDto): Promise<RateCardDto> {
    const card = await this.loaded(id, input)
    return this.written(card, { status: this.demandMove(card, 'return'), statusReason: reason })
  }

  @RequiresPermission(RateCardPermissions.Approve)
  async suspend(id: string, { reason, ...input }: PricingReasonDto): Promise<RateCardDto> {
    const card = await this.loaded(id, input)
    return this.written(card, { status: this.demandMove(card, 'suspend'), statusReason: reason })
  }

  @RequiresPermission(RateCardPermissions.Approve)
  async resume(id: string, input: PricingActionDto): Promise<RateCardDto> {
    const card = await this.loaded(id, input)
    return this.written(card, { status: this.demandMove(card, 'resume'), statusReason: null })
  }

  @RequiresPermission(RateCardPermissions.Create)
  async createNewVersion(id: string, input: PricingActionDto): Promise<RateCardDto> {
    const card = await this.loaded(id, input)
    const { reference, version } = card
    if (card.status !== RateCardStatus.Active)
      throw refusedRateCardAction(card, 'createNewVersion', RateCardStatus.Draft)
    if ((await this.cards.openVersionsOf(id)).length)
      throw new BusinessError(PricingErrors.RateCardOpenVersionExists, { reference })
    // Of two at once, the second is refused.
    await this.cards.update(card, { lastModificationTime: this.clock.now })
    const copy = await this.cards.insert({
      ...copiedMembers(card),
      // Sequelize declares a member of this name on every model.
      ...({ version: version + 1 } as object),
      previousVersionId: id,
      lastEditorId: editor(),
    })
    await this.parts.copy(id, copy.id)
    return this.get(copy.id)
  }

  @RequiresPermission(RateCardPermissions.Create)
  async copy(id: string, { reference, ...input }: CopyRateCardDto): Promise<RateCardDto> {
    const card = await this.cards.get(id)
    const { name, validFrom, validTo } = card
    const values = {
      name: input.name ?? name,
      validFrom: input.validFrom ?? validFrom,
      validTo: input.validTo ?? validTo,
    }
    demandOrder(values)
    const copy = await this.cards.insert({
      ...copiedMembers(card),
      ...values,
      reference,
      lastEditorId: editor(),
    })
    await this.parts.copy(id, copy.id)
    return this.get(copy.id)
  }

  @RequiresPermission(RateCardPermissions.Approve)
  async extendValidity(id: string, { validTo, ...input }: ExtendValidityDto): Promise<RateCardDto> {
    const card = await this.loaded(id, input)
    if (card.status !== RateCardStatus.Active)
      throw refusedRateCardAction(card, 'extendValidity', RateCardStatus.Active)
    if (validTo <= card.validTo || validTo < this.today)
      throw new BusinessError(PricingErrors.RateCardValidityNotLonger, { validTo: card.validTo })
    card.set('validTo', validTo)
    await this.demandNoOverlap(card)
    return this.written(card, { validTo })
  }

  @RequiresPermission(RateCardPermissions.Edit)
  async archive(id: string, input: PricingActionDto): Promise<RateCardDto> {
    const card = await this.loaded(id, input)
    return this.written(card, { status: this.demandMove(card, 'archive') })
  }

  private get today(): string {
    return this.clock.now.toISOString().slice(0, 10)
  }

  private async loaded(id: string, input: object): Promise<RateCard> {
    const card = await this.cards.get(id)
    expectStamp(card, input)
    return card
  }

  private async written(card: RateCard, values: NewRow<RateCard>): Promise<RateCardDto> {
    await this.cards.update(card, values)
    return this.get(card.id)
  }

  private demandMove(card: RateCard, action: RateCardAction): RateCardStatus {
    const to = targetOfAction(action, card.status)
    if (to === undefined) throw refusedRateCardAction(card, action, rateCardTransitions[action].to)
    return to
  }

  private async demandNoOverlap(card: RateCard): Promise<void> {
    // Of two cards at once the second one sees the first.
    await this.locks.hold('Pricing.RateCardValidity', { database: this.store.database })
    const other = await overlappingCard(this.store.database, card)
    if (other) throw new BusinessError(PricingErrors.RateCardOverlappingValidity, { ...other })
  }

  /** Checks dates and currency, and finds the code of the organization. */
  private async checked(
    input: Partial<CreateRateCardDto> & Pick<CreateRateCardDto, 'validFrom' | 'validTo' | 'currencyCode'>,
    before?: RateCard,
  ): Promise<Pick<NewRow<RateCard>, 'organizationCode'>> {
    demandOrder(input)
    await demandCurrency(this.references, input.currencyCode, before?.currencyCode)
    const { organizationId } = input
    if (organizationId === undefined) return {}
    const organizationCode = organizationId ? (await this.organizations.demand(organizationId)).code : null
    return { organizationCode }
  }
}

function demandOrder({ validFrom, validTo }: { validFrom: string; validTo: string }): void {
  if (validTo < validFrom)
    throw new ValidationError([faultOf('validTo', 'Pricing:Validation:EndsBeforeStart')])
}

/** What a copy of a card takes over. */
function copiedMembers(card: RateCard): NewRow<RateCard> {
  const { reference, name, cardType, transportModeCode, containerModeCode, carrierCode, organizationId } =
    card
  const { organizationCode, contractNumber, currencyCode, validFrom, validTo, dateBasis, priority } = card
  const { volumetricDivisor, minimumRevenueTon, notes, extraProperties } = card
  return {
    ...{ reference, name, cardType, transportModeCode, containerModeCode, carrierCode, organizationId },
    ...{ organizationCode, contractNumber, currencyCode, validFrom, validTo, dateBasis, priority },
    ...{ volumetricDivisor, minimumRevenueTon, notes, extraProperties },
  }
}

function withoutUndefined<T extends object>(values: T): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>
}
