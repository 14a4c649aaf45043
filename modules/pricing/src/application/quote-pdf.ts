import { ambient, Clock, Configuration, Injectable, Localization, Settings } from '@keel/framework'
import { BusinessError, type FileContent } from '@keel/framework/contracts'
import { type ReferenceSet, ReferenceSets } from '@keel/framework/data'
import { demandField } from '@keel/framework/security'
import { WhiteLabel } from '@keel/framework/texts'
import {
  PricingErrors,
  PricingSettings,
  type QuotePdfInput,
  QuotePermissions,
  QuoteStatus,
} from '../contracts/index.js'
import { Currency } from '../domain/currency.js'
import type { Quote, QuoteCargoLine, QuoteCharge, QuoteOption } from '../domain/quote.js'
import { QuoteCargoLineStore, QuoteChargeStore, QuoteOptionStore, QuoteStore } from '../persistence/stores.js'
import { KnownPorts } from './known-ports.js'
import { type PdfColumn, PdfWriter } from './pdf-writer.js'

/** Statuses in which a quote is an offer: others are named in the title. */
const offered: ReadonlySet<QuoteStatus> = new Set([
  QuoteStatus.Sent,
  QuoteStatus.Accepted,
  QuoteStatus.Converted,
])
const logoSize = [140, 48] as const

/** Writes quotes as PDF in the language of the caller. */
@Injectable()
export class QuotePdf {
  constructor(
    private readonly quotes: QuoteStore,
    private readonly lines: QuoteCargoLineStore,
    private readonly options: QuoteOptionStore,
    private readonly charges: QuoteChargeStore,
    private readonly ports: KnownPorts,
    private readonly references: ReferenceSets,
    private readonly settings: Settings,
    private readonly configuration: Configuration,
    private readonly texts: Localization,
    private readonly clock: Clock,
  ) {}

  /** A quote with one of its options. Costs and margins are in it for callers who ask for them and may see them. */
  async write(id: string, { optionId, withCosts }: QuotePdfInput): Promise<FileContent> {
    if (withCosts) demandField('withCosts', QuotePermissions.ViewCost)
    const quote = await this.quotes.get(id)
    const option = await this.optionOf(quote, optionId)
    const charges = (await this.charges.ofOption(option.id)).sort((a, b) => a.sortOrder - b.sortOrder)
    const codes = [quote.currencyCode, ...charges.flatMap(({ rateCurrencyCode }) => rateCurrencyCode ?? [])]
    const words = new Words(
      this.texts,
      ambient().culture,
      await this.references.matching(Currency, 'code', codes),
    )
    const { name, address, logo } = await this.seller()
    const { reference, status } = quote
    const title = words.find('Pricing:Pdf:Title', { reference })
    const { culture: language } = words
    const pdf = await PdfWriter.begin({ title, author: name, language, creationTime: this.clock.now })
    if (logo) pdf.picture(logo, logoSize)
    pdf.text(name, { size: 13, isBold: true })
    pdf.text(address, { size: 8, color: '#666666' })
    pdf.space(24)
    const state = offered.has(status) ? '' : ` (${words.find(`Enum:QuoteStatus.${status}`)})`
    pdf.text(`${title}${state}`, { size: 17, isBold: true })
    pdf.space(8)
    pdf.facts(await this.factsOf(quote, words))
    pdf.space(10)
    writeCargo(pdf, words, await this.lines.ofQuote(id))
    writeOption(pdf, words, quote, option)
    writeCharges(pdf, words, { quote, option, charges, withCosts })
    if (quote.notes) {
      pdf.space(10)
      pdf.text(words.label('Notes'), { isBold: true })
      pdf.text(quote.notes)
    }
    const bytes = await pdf.end(`${name} · ${title}`)
    return new File([new Uint8Array(bytes)], `${reference}.pdf`, { type: 'application/pdf' })
  }

  private async optionOf(quote: Quote, optionId: string | null | undefined): Promise<QuoteOption> {
    const { id, reference, selectedOptionId } = quote
    const options = (await this.options.ofQuote(id)).sort((a, b) => a.optionNumber - b.optionNumber)
    const wanted = optionId ?? selectedOptionId
    const found = wanted
      ? options.find((option) => option.id === wanted)
      : (options.find(({ isRecommended }) => isRecommended) ?? options[0])
    if (found) return found
    throw new BusinessError(
      options.length ? PricingErrors.QuoteOptionNotFound : PricingErrors.QuoteNotCalculated,
      {
        reference,
      },
    )
  }

  private async seller(): Promise<{ name: string; address: string; logo: Buffer | undefined }> {
    const { appName, logoUrl } = this.configuration.read(WhiteLabel).whiteLabeling
    const [, base64] = /^data:image\/(?:png|jpeg);base64,([A-Za-z0-9+/=]+)$/.exec(logoUrl ?? '') ?? []
    return {
      name: (await this.settings.valueOf(PricingSettings.SellerName.name)) || appName,
      address: (await this.settings.valueOf(PricingSettings.SellerAddress.name)) ?? '',
      logo: base64 ? Buffer.from(base64, 'base64') : undefined,
    }
  }

  private async factsOf(quote: Quote, words: Words): Promise<[label: string, value: string][]> {
    const { validUntil, cargoReadyDate, incotermCode, goodsValue, currencyCode } = quote
    const yes = words.find('Yes')
    const facts: [label: string, value: string | false | null | undefined][] = [
      ['OrganizationName', `${quote.organizationName} (${quote.organizationCode})`],
      ['ValidUntil', validUntil && words.day(validUntil)],
      ['OriginUnLocode', await this.ports.shownName(quote.originUnLocode)],
      ['PricingDate', words.day(quote.pricingDate)],
      ['DestinationUnLocode', await this.ports.shownName(quote.destinationUnLocode)],
      ['CargoReadyDate', cargoReadyDate && words.day(cargoReadyDate)],
      ['TransportModeCode', `${quote.transportModeCode} ${quote.containerModeCode}`],
      ['IncotermCode', incotermCode],
      ['GrossWeightKg', words.number(quote.grossWeightKg)],
      ['VolumeM3', words.number(quote.volumeM3)],
      ['IsDangerousGoods', quote.isDangerousGoods && yes],
      ['IsTemperatureControlled', quote.isTemperatureControlled && yes],
      ['GoodsValue', goodsValue && words.money(goodsValue, currencyCode)],
    ]
    return facts.flatMap(([name, value]) => (value ? [[words.label(name), value]] : []))
  }
}

function writeCargo(pdf: PdfWriter, words: Words, lines: readonly QuoteCargoLine[]): void {
  pdf.text(words.find('Pricing:Pdf:Cargo'), { size: 11, isBold: true })
  pdf.space(4)
  const columns: PdfColumn[] = [
    { header: words.find('Pricing:Pdf:Quantity'), share: 1, align: 'right' },
    { header: words.find('Pricing:Pdf:Package'), share: 1.2 },
    { header: words.find('Pricing:Pdf:Dimensions'), share: 2 },
    { header: words.label('GrossWeightKg'), share: 1.5, align: 'right' },
    { header: words.label('VolumeM3'), share: 1.3, align: 'right' },
    { header: words.find('Pricing:Pdf:Description'), share: 3 },
  ]
  const rows = lines.map((line) => {
    const lengths = [line.lengthCm, line.widthCm, line.heightCm].filter((length) => length !== null)
    return [
      words.number(line.quantity),
      line.containerTypeCode ?? line.packageTypeCode ?? '',
      lengths.map((length) => words.number(length)).join(' × '),
      words.number(line.grossWeightKg),
      line.volumeM3 === null ? '' : words.number(line.volumeM3),
      line.description ?? '',
    ]
  })
  pdf.table(columns, rows, { size: 8 })
  pdf.space(12)
}

function writeOption(pdf: PdfWriter, words: Words, { currencyCode }: Quote, option: QuoteOption): void {
  pdf.text(words.find('Pricing:Pdf:Option', { number: option.optionNumber }), { size: 11, isBold: true })
  pdf.space(4)
  const facts: [string, string | false | null][] = [
    [words.find('DisplayName:RateSheet:CarrierCode'), option.carrierCode],
    [words.find('DisplayName:RateSheet:ViaUnLocode'), option.viaUnLocode],
    [
      words.find('DisplayName:RateSheet:TransitDays'),
      option.transitDays !== null && words.number(option.transitDays),
    ],
    [words.find('Pricing:Pdf:Total'), words.money(option.totalSell, currencyCode)],
  ]
  pdf.facts(facts.flatMap(([label, value]) => (value ? [[label, value] as const] : [])))
  pdf.space(6)
}

/** An option of a quote with its charges. */
interface PricedOffer {
  readonly quote: Quote
  readonly option: QuoteOption
  readonly charges: readonly QuoteCharge[]
  readonly withCosts: boolean
}

function writeCharges(
  pdf: PdfWriter,
  words: Words,
  { quote, option, charges, withCosts }: PricedOffer,
): void {
  const { currencyCode } = quote
  const priced = (text: string) => `${text} (${currencyCode})`
  const columns: PdfColumn[] = [
    { header: words.find('DisplayName:RateSheet:ChargeCode'), share: 3 },
    { header: words.find('DisplayName:RateSheet:Basis'), share: 2.2 },
    { header: words.find('Pricing:Pdf:Quantity'), share: 1.1, align: 'right' },
    ...(withCosts ? costColumns(words, priced) : []),
    { header: priced(words.find('Pricing:Pdf:Price')), share: 1.5, align: 'right' },
  ]
  const rows = charges.map((charge) => [
    charge.description + (charge.isOptional ? ` (${words.find('Pricing:Pdf:Optional')})` : ''),
    words.find(`Enum:RateBasis.${charge.basis}`),
    words.number(charge.quantity),
    ...(withCosts ? costCells(words, charge, currencyCode) : []),
    words.amount(charge.sellAmount, currencyCode),
  ])
  pdf.table(columns, rows, { size: 8 })
  const total = (label: string, value: string) =>
    pdf.text(`${words.find(label)}: ${value}`, { isBold: true, align: 'right' })
  total('Pricing:Pdf:Total', words.money(option.totalSell, currencyCode))
  if (!withCosts || option.totalCost === null) return
  total('Pricing:Pdf:TotalCost', words.money(option.totalCost, currencyCode))
  total(
    'Pricing:Pdf:Margin',
    `${words.money(option.marginAmount ?? '0', currencyCode)} (${words.number(option.marginPercent ?? '0')} %)`,
  )
}

const costColumns = (words: Words, priced: (text: string) => string): PdfColumn[] => [
  { header: words.find('Pricing:Pdf:Cost'), share: 1.7, align: 'right' },
  { header: words.find('Pricing:Pdf:ExchangeRate'), share: 1.5, align: 'right' },
  { header: priced(words.find('Pricing:Pdf:Cost')), share: 1.5, align: 'right' },
]

function costCells(words: Words, charge: QuoteCharge, currencyCode: string): string[] {
  const { costAmount, rateCurrencyCode, exchangeRate, costAmountQuote } = charge
  return [
    costAmount === null ? '' : words.money(costAmount, rateCurrencyCode ?? currencyCode),
    exchangeRate === null ? '' : words.number(exchangeRate, 8),
    costAmountQuote === null ? '' : words.amount(costAmountQuote, currencyCode),
  ]
}

/** Texts, numbers and days of a language. */
class Words {
  constructor(
    private readonly texts: Localization,
    readonly culture: string,
    private readonly currencies: ReferenceSet,
  ) {}

  find(key: string, data: Readonly<Record<string, unknown>> = {}): string {
    return this.texts.find(key, this.culture, data) ?? key
  }

  /** The label of a member of a quote. */
  label(member: string): string {
    return this.find(`DisplayName:Quote:${member}`)
  }

  day(date: string): string {
    const format = new Intl.DateTimeFormat(this.culture, { dateStyle: 'medium', timeZone: 'UTC' })
    return format.format(new Date(`${date}T00:00:00Z`))
  }

  /** A number or a decimal, of which no digit is lost. */
  number(value: number | string, maximumFractionDigits = 3, minimumFractionDigits = 0): string {
    const format = new Intl.NumberFormat(this.culture, { maximumFractionDigits, minimumFractionDigits })
    return format.format(value as number)
  }

  /** An amount with the digits of its currency, without its code. */
  amount(value: string, currencyCode: string): string {
    const [id = ''] = this.currencies.idsBy('code', currencyCode)
    const digits = Number(this.currencies.value(id, 'minorUnits') ?? 2)
    return this.number(value, digits, digits)
  }

  money(value: string, currencyCode: string): string {
    return `${this.amount(value, currencyCode)} ${currencyCode}`
  }
}
