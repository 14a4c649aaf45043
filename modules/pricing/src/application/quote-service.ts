import { randomUUID } from 'node:crypto'
import { AutoApiController, ambient, Clock, Settings } from '@keel/framework'
import { BusinessError, type FileContent, pageLimits } from '@keel/framework/contracts'
import {
  CrudService,
  Databases,
  expectStamp,
  JsonView,
  type NewRow,
  PageReader,
  ReferenceSets,
  RowRules,
  type Sql,
} from '@keel/framework/data'
import { DistributedEventBus } from '@keel/framework/events'
import { demandField, demandPermission, RequiresPermission } from '@keel/framework/security'
import { ShipmentPermissions, ShipmentRequestedEto } from '@keel/hub/contracts'
import {
  type AcceptQuoteDto,
  type CalculateQuoteDto,
  type ConvertQuoteDto,
  type CreateQuoteDto,
  type PricingActionDto,
  PricingErrors,
  type PricingReasonDto,
  PricingSettings,
  QuoteAcceptedEto,
  type QuoteAction,
  QuoteAppService,
  QuoteChargeDto,
  type QuoteDto,
  type QuoteFileInput,
  type QuoteListInput,
  type QuotePdfInput,
  QuotePermissions,
  QuoteStatus,
  type ReRateQuotesDto,
  type ReRatingDto,
  type ReRatingJobDto,
  type SetCargoLinesDto,
  statusAfter,
  type UpdateQuoteDto,
} from '../contracts/index.js'
import { quantitiesOf } from '../domain/cargo.js'
import { exact } from '../domain/exact.js'
import { Quote, QuoteCargoLine, QuoteCharge, QuoteOption } from '../domain/quote.js'
import {
  hasOptionByCard,
  isChargeOfQuote,
  isOutdatedOn,
  nextQuoteNumber,
} from '../persistence/quote-queries.js'
import { QuoteCargoLineStore, QuoteOptionStore, QuoteStore } from '../persistence/stores.js'
import { KnownOrganizations } from './known-organizations.js'
import { KnownPorts } from './known-ports.js'
import { demandCargo } from './price-calculation.js'
import { QuoteChanges } from './quote-changes.js'
import { QuoteOptions, requestOf } from './quote-options.js'
import { QuotePdf } from './quote-pdf.js'
import { QuoteReRating } from './quote-re-rating.js'
import { demandCurrency } from './reference-rules.js'
import { quoteNotEditable, refusedQuoteAction } from './refusals.js'

const told = { audit: 'count', events: 'batch' } as const
const chargeView = new JsonView(QuoteCharge, QuoteChargeDto)

@AutoApiController(QuoteAppService)
@RequiresPermission(QuotePermissions)
export class QuoteService extends CrudService(QuoteAppService, Quote, {
  searchIn: ['reference', 'organizationCode', 'organizationName', 'originUnLocode', 'destinationUnLocode'],
  defaultSorting: 'creationTime DESC',
  collections: {
    cargoLines: { entity: QuoteCargoLine, by: 'quoteId', orderBy: ['lineNumber'] },
    options: { entity: QuoteOption, by: 'quoteId', orderBy: ['optionNumber'] },
  },
}) {
  constructor(
    databases: Databases,
    rules: RowRules,
    pages: PageReader,
    private readonly quotes: QuoteStore,
    private readonly lines: QuoteCargoLineStore,
    private readonly options: QuoteOptionStore,
    private readonly changes: QuoteChanges,
    private readonly calculated: QuoteOptions,
    private readonly reRating: QuoteReRating,
    private readonly pdf: QuotePdf,
    private readonly organizations: KnownOrganizations,
    private readonly ports: KnownPorts,
    private readonly references: ReferenceSets,
    private readonly events: DistributedEventBus,
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {
    super(databases, rules, pages)
  }

  override listConditions(input: QuoteListInput | QuoteFileInput): readonly Sql[] {
    const { status, organizationId, rateCardId, isOutdated } = input
    if (rateCardId) demandField('rateCardId', QuotePermissions.ViewCost)
    if (isOutdated) demandField('isOutdated', QuotePermissions.ViewCost)
    return [
      ...this.view.equal({ status, organizationId }),
      ...(rateCardId ? [hasOptionByCard(rateCardId)] : []),
      ...(isOutdated ? [isOutdatedOn(this.today)] : []),
    ]
  }

  override async create({ cargoLines, ...input }: CreateQuoteDto): Promise<QuoteDto> {
    const { code, fullName } = await this.organizations.demand(input.organizationId)
    await this.ports.demand([input.originUnLocode, input.destinationUnLocode])
    await demandCurrency(this.references, input.currencyCode)
    if (cargoLines?.length) demandCargo({ ...input, cargo: cargoLines })
    const pricingDate = input.pricingDate ?? this.today
    const quote = await this.begin({
      ...input,
      pricingDate,
      organizationCode: code,
      organizationName: fullName,
    })
    if (cargoLines?.length) await this.writeCargo(quote, cargoLines)
    return this.get(quote.id)
  }

  override async update(id: string, input: UpdateQuoteDto): Promise<QuoteDto> {
    const quote = await this.editable(id, input)
    const { concurrencyStamp: _, ...values } = input
    const before = [quote.originUnLocode, quote.destinationUnLocode]
    await this.ports.demand([input.originUnLocode, input.destinationUnLocode], before)
    if (input.currencyCode) await demandCurrency(this.references, input.currencyCode, quote.currencyCode)
    await this.calculated.forget(quote)
    await this.quotes.update(quote, { ...values, ...unpriced })
    return this.get(id)
  }

  /** Its cargo lines, options and charges go with it. */
  override async delete(id: string): Promise<void> {
    const quote = await this.quotes.get(id)
    if (quote.status === QuoteStatus.Accepted || quote.status === QuoteStatus.Converted)
      throw quoteNotEditable(quote)
    await this.calculated.forget(quote)
    for (const line of await this.lines.ofQuote(id)) await this.lines.remove(line)
    await this.quotes.remove(quote)
  }

  @RequiresPermission(QuotePermissions.View)
  async getCharges(id: string): Promise<QuoteChargeDto[]> {
    await this.quotes.get(id)
    return this.pages.array(QuoteChargeDto, chargeView, {
      conditions: [isChargeOfQuote(id)],
      maxResultCount: pageLimits.most,
      defaultSorting: 'sortOrder',
    })
  }

  @RequiresPermission(QuotePermissions.View)
  getPdf(id: string, input: QuotePdfInput): Promise<FileContent> {
    return this.pdf.write(id, input)
  }

  @RequiresPermission(QuotePermissions.Edit)
  async setCargoLines(id: string, { cargoLines, ...input }: SetCargoLinesDto): Promise<QuoteDto> {
    const quote = await this.editable(id, input)
    demandCargo({ containerModeCode: quote.containerModeCode, cargo: cargoLines })
    await this.calculated.forget(quote)
    await this.writeCargo(quote, cargoLines)
    return this.get(id)
  }

  @RequiresPermission(QuotePermissions.Edit)
  async calculate(id: string, { includeOptional = false, ...input }: CalculateQuoteDto): Promise<QuoteDto> {
    const quote = await this.loaded(id, input)
    this.changes.demand(quote, 'calculate')
    const options = await this.calculated.calculate(quote, { includeOptional })
    await this.calculated.replace(quote, options)
    await this.changes.perform(quote, 'calculate', {
      values: { validUntil: options[0]?.validUntil ?? null, selectedOptionId: null },
    })
    return this.get(id)
  }

  @RequiresPermission(QuotePermissions.Edit)
  getReRating(id: string): Promise<ReRatingDto> {
    return this.reRating.preview(id)
  }

  @RequiresPermission(QuotePermissions.Edit)
  async reRate(id: string, input: PricingActionDto): Promise<QuoteDto> {
    await this.reRating.apply(id, input)
    return this.get(id)
  }

  @RequiresPermission(QuotePermissions.Edit)
  reRateMany(input: ReRateQuotesDto): Promise<ReRatingJobDto> {
    return this.reRating.start(input)
  }

  @RequiresPermission(QuotePermissions.Send)
  async submit(id: string, input: PricingActionDto): Promise<QuoteDto> {
    const quote = await this.loaded(id, input)
    this.changes.demand(quote, 'submit')
    const recommended = (await this.options.ofQuote(id)).find(({ isRecommended }) => isRecommended)
    const least = (await this.settings.valueOf(PricingSettings.MinMarginPercent.name)) ?? '0'
    const margin = recommended?.marginPercent
    const isThin = margin != null && exact(margin).lt(least)
    await this.changes.perform(quote, isThin ? 'askApproval' : 'submit')
    return this.get(id)
  }

  @RequiresPermission(QuotePermissions.Approve)
  async approve(id: string, input: PricingActionDto): Promise<QuoteDto> {
    const quote = await this.loaded(id, input)
    const { userId } = ambient().principal
    this.changes.demand(quote, 'approve')
    if (userId && userId === quote.creatorId)
      throw new BusinessError(PricingErrors.QuoteApproverIsCreator, {
        reference: quote.reference,
        status: QuoteStatus[quote.status],
      })
    await this.changes.perform(quote, 'approve')
    return this.get(id)
  }

  @RequiresPermission(QuotePermissions.Approve)
  return(id: string, input: PricingReasonDto): Promise<QuoteDto> {
    return this.act(id, 'return', input)
  }

  @RequiresPermission(QuotePermissions.Accept)
  async accept(id: string, { optionId, shipmentReference, ...input }: AcceptQuoteDto): Promise<QuoteDto> {
    const quote = await this.loaded(id, input)
    this.changes.demand(quote, 'accept')
    const { reference, pricingDate, validUntil } = quote
    const { today } = this
    if (today < pricingDate || (validUntil && today > validUntil))
      throw new BusinessError(PricingErrors.QuoteExpired, { reference, validUntil })
    const options = await this.options.ofQuote(id)
    if (!options.some((option) => option.id === optionId))
      throw new BusinessError(PricingErrors.QuoteOptionNotFound, { reference })
    quote.raise(new QuoteAcceptedEto({ ...this.changes.occurrence(quote), optionId }))
    await this.changes.perform(quote, 'accept', { values: { selectedOptionId: optionId } })
    await this.requestShipment(quote, shipmentReference ?? reference)
    return this.get(id)
  }

  @RequiresPermission(QuotePermissions.Accept)
  reject(id: string, input: PricingReasonDto): Promise<QuoteDto> {
    return this.act(id, 'reject', input)
  }

  /** Takes `Shipment.Create` as well (domain model, section 2.5). */
  @RequiresPermission(QuotePermissions.Accept)
  async convertToShipment(id: string, { shipmentReference, ...input }: ConvertQuoteDto): Promise<QuoteDto> {
    demandPermission(ShipmentPermissions.Create)
    const quote = await this.loaded(id, input)
    const { reference } = quote
    if (quote.status === QuoteStatus.Converted)
      throw new BusinessError(PricingErrors.QuoteAlreadyConverted, { reference })
    this.changes.demand(quote, 'convert')
    await this.quotes.update(quote, { statusReason: null, lastModificationTime: this.clock.now })
    await this.requestShipment(quote, shipmentReference)
    return this.get(id)
  }

  @RequiresPermission(QuotePermissions.Edit)
  async cancel(id: string, { reason, ...input }: PricingReasonDto): Promise<QuoteDto> {
    const quote = await this.loaded(id, input)
    const to = this.changes.demand(quote, 'cancel')
    // The reason says that Hub refused the shipment. Until Hub answers, the shipment may be there any moment.
    if (quote.status === QuoteStatus.Accepted && quote.statusReason === null)
      throw refusedQuoteAction(quote, 'cancel', to)
    await this.changes.perform(quote, 'cancel', { reason })
    return this.get(id)
  }

  @RequiresPermission(QuotePermissions.Create)
  async copy(id: string, input: PricingActionDto): Promise<QuoteDto> {
    const quote = await this.loaded(id, input)
    const lines = await this.lines.ofQuote(id)
    const copy = await this.begin({ ...requestMembers(quote), pricingDate: this.today })
    if (lines.length) await this.writeCargo(copy, lines.map(cargoMembers))
    return this.get(copy.id)
  }

  private get today(): string {
    return this.clock.now.toISOString().slice(0, 10)
  }

  private async begin(values: NewRow<Quote>): Promise<Quote> {
    const number = await nextQuoteNumber(this.store.database)
    const reference = `Q${this.today.slice(0, 4)}${String(number).padStart(6, '0')}`
    return this.quotes.insert({ ...values, reference })
  }

  private async loaded(id: string, input: object): Promise<Quote> {
    const quote = await this.quotes.get(id)
    expectStamp(quote, input)
    return quote
  }

  private async editable(id: string, input: object): Promise<Quote> {
    const quote = await this.loaded(id, input)
    if (statusAfter('edit', quote.status) === undefined) throw quoteNotEditable(quote)
    return quote
  }

  private async act(
    id: string,
    action: QuoteAction,
    { reason, ...input }: PricingReasonDto,
  ): Promise<QuoteDto> {
    await this.changes.perform(await this.loaded(id, input), action, { reason })
    return this.get(id)
  }

  private async writeCargo(quote: Quote, cargo: SetCargoLinesDto['cargoLines']): Promise<void> {
    for (const line of await this.lines.ofQuote(quote.id)) await this.lines.remove(line)
    const rows = cargo.map((line, index) => ({ ...line, quoteId: quote.id, lineNumber: index + 1 }))
    await this.lines.insertMany(rows, told)
    const { grossKg, volumeM3 } = quantitiesOf(cargo)
    await this.quotes.update(quote, {
      ...unpriced,
      ...{ grossWeightKg: grossKg.toNumber(), volumeM3: volumeM3.toNumber() },
      lastModificationTime: this.clock.now,
    })
  }

  /** Asks Hub for the shipment by an event, which is written with the quote: both or neither. The quote's id makes it one shipment. */
  private async requestShipment(quote: Quote, shipmentReference: string): Promise<void> {
    const lines = await this.lines.ofQuote(quote.id)
    const { transportModeCode, containerModeCode, originUnLocode, destinationUnLocode, incotermCode } = quote
    const { cargoReadyDate, isDangerousGoods, isTemperatureControlled, organizationId } = quote
    const packages = lines.filter(({ containerTypeCode }) => !containerTypeCode)
    await this.events.publish(
      new ShipmentRequestedEto({
        ...{ requestId: randomUUID(), sourceSystem: 'Pricing', externalId: quote.id, shipmentReference },
        ...{
          quoteId: quote.id,
          quoteReference: quote.reference,
          organizationId,
          userId: ambient().principal.userId ?? null,
        },
        ...{ transportModeCode, containerModeCode, originUnLocode, destinationUnLocode, incotermCode },
        ...{ cargoReadyDate, isDangerousGoods, isTemperatureControlled },
        cargoDescription:
          lines
            .map(({ description }) => description)
            .filter(Boolean)
            .join('; ')
            .slice(0, 500) || null,
        totalPackages: packages.length ? packages.reduce((total, { quantity }) => total + quantity, 0) : null,
        ...{ totalGrossWeight: quote.grossWeightKg, totalVolume: quote.volumeM3 },
      }),
      { key: quote.id },
    )
  }
}

/** What a quote has that was changed since it was priced. */
const unpriced = { status: QuoteStatus.Draft, validUntil: null, selectedOptionId: null } as const

function requestMembers(quote: Quote): NewRow<Quote> {
  const { organizationCode, organizationName, incotermCode, notes, extraProperties } = quote
  return { ...requestOf(quote), organizationCode, organizationName, incotermCode, notes, extraProperties }
}

function cargoMembers(line: QuoteCargoLine): SetCargoLinesDto['cargoLines'][number] {
  const { containerTypeCode, quantity, packageTypeCode, lengthCm, widthCm, heightCm } = line
  const { grossWeightKg, volumeM3, description } = line
  return {
    ...{ containerTypeCode, quantity, packageTypeCode, lengthCm, widthCm, heightCm },
    ...{ grossWeightKg, volumeM3, description },
  }
}
