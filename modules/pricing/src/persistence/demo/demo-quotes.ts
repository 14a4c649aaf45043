import { Clock, Injectable } from '@keel/framework'
import type { SeedContext } from '@keel/framework/data'
import { OrganizationAppService, type OrganizationDto } from '@keel/hub/contracts'
import { type CreateQuoteDto, QuoteAppService, type QuoteDto, QuoteStatus } from '../../contracts/index.js'
import { airTrades, seaTrades } from './demo-trades.js'

const dayMs = 86_400_000
const shipmentsPerQuote = 40
const [fewestQuotes, mostQuotes] = [12, 400]
const mostCustomers = 60

type Cargo = NonNullable<CreateQuoteDto['cargoLines']>[number]
type Way = Pick<CreateQuoteDto, 'transportModeCode' | 'containerModeCode'>

/** Of a hundred quotes: what becomes of them. The domain model's section 10 has such shares. */
const fates = [
  { share: 30, make: 'sent', daysAgo: [0, 9] },
  // Hub makes shipments of these as soon as a host runs.
  { share: 37, make: 'accepted', daysAgo: [0, 12] },
  // Nobody answered in time: they expire.
  { share: 20, make: 'sent', daysAgo: [16, 27] },
  { share: 5, make: 'calculated', daysAgo: [0, 2] },
  { share: 5, make: 'rejected', daysAgo: [2, 12] },
  { share: 3, make: 'draft', daysAgo: [0, 1] },
] as const

/** Quotes for customers of Hub, made by the service as people make them. */
@Injectable()
export class DemoQuotes {
  constructor(
    private readonly quotes: QuoteAppService,
    private readonly organizations: OrganizationAppService,
    private readonly clock: Clock,
  ) {}

  /** Makes quotes for so many shipments. @returns how many; none without organizations */
  async make(shipments: number, progress: SeedContext['progress']): Promise<number> {
    const customers = await this.customers()
    if (customers.length === 0) return 0
    const count = Math.min(mostQuotes, Math.max(fewestQuotes, Math.round(shipments / shipmentsPerQuote)))
    for (let at = 0; at < count; at++) {
      await this.makeOne(at, customers)
      if (at % 10 === 9 || at === count - 1) progress('quotes', at + 1, count)
    }
    return count
  }

  private async customers(): Promise<readonly OrganizationDto[]> {
    const { items } = await this.organizations.getList({
      maxResultCount: mostCustomers,
      sorting: 'creationTime',
    })
    return items.filter(({ isActive }) => isActive)
  }

  private async makeOne(at: number, customers: readonly OrganizationDto[]): Promise<void> {
    const { make, daysAgo } = fateOf(at)
    const [first, last] = daysAgo
    const ago = first + ((at * 7) % (last - first + 1))
    const customer = customers[(at * 11) % customers.length] as OrganizationDto
    const quote = await this.quotes.create({
      organizationId: customer.id,
      ...requestOf(at),
      ...{
        pricingDate: this.day(-ago),
        cargoReadyDate: this.day(10 - ago),
        currencyCode: at % 3 ? 'EUR' : 'USD',
      },
    })
    if (make !== 'draft') await this.goOn(quote, make)
  }

  private async goOn({ id }: QuoteDto, make: 'sent' | 'accepted' | 'calculated' | 'rejected'): Promise<void> {
    const calculated = await this.quotes.calculate(id, {})
    if (make === 'calculated') return
    const { status } = await this.quotes.submit(id, {})
    // One with too little margin waits for an approval.
    if (status !== QuoteStatus.Sent) return
    const optionId = calculated.options?.[0]?.id
    if (make === 'accepted' && optionId) await this.quotes.accept(id, { optionId })
    if (make === 'rejected') await this.quotes.reject(id, { reason: 'Too expensive' })
  }

  private day(offset: number): string {
    return new Date(this.clock.nowMs + offset * dayMs).toISOString().slice(0, 10)
  }
}

function fateOf(at: number): (typeof fates)[number] {
  let place = (at * 37) % 100
  for (const fate of fates) {
    if (place < fate.share) return fate
    place -= fate.share
  }
  return fates[0]
}

/** What is to be carried, and where: two of three by sea. */
function requestOf(
  at: number,
): Way & Pick<CreateQuoteDto, 'originUnLocode' | 'destinationUnLocode' | 'cargoLines'> {
  const isAir = at % 3 === 2
  const trades = isAir ? airTrades : seaTrades
  const trade = trades[Math.floor(at / 3) % trades.length]
  if (!trade) throw new Error('There are no trades')
  const { from, to } = trade
  return {
    ...(isAir
      ? { transportModeCode: 'Air', containerModeCode: 'LSE', cargoLines: [cartons(at)] }
      : at % 4 === 1
        ? { transportModeCode: 'Sea', containerModeCode: 'LCL', cargoLines: [pallets(at)] }
        : { transportModeCode: 'Sea', containerModeCode: 'FCL', cargoLines: [containers(at)] }),
    originUnLocode: from[at % from.length] ?? '',
    destinationUnLocode: to[(at * 5) % to.length] ?? '',
  }
}

function containers(at: number): Cargo {
  const quantity = 1 + (at % 4)
  const isBig = at % 5 > 1
  return {
    ...{ containerTypeCode: isBig ? '45G1' : '22G1', quantity },
    ...{ grossWeightKg: quantity * (isBig ? 14_500 : 18_200), volumeM3: quantity * (isBig ? 62 : 27) },
  }
}

function pallets(at: number): Cargo {
  const quantity = 2 + (at % 9)
  return { quantity, grossWeightKg: quantity * 310, lengthCm: 120, widthCm: 80, heightCm: 140 }
}

function cartons(at: number): Cargo {
  const quantity = 6 + (at % 30)
  return { quantity, grossWeightKg: quantity * 14, lengthCm: 60, widthCm: 40, heightCm: 45 }
}
