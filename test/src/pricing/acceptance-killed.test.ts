import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@keel/framework/client'
import type { AnyAppService, KeelError } from '@keel/framework/contracts'
import { TokenIssuer } from '@keel/framework/testing'
import { OrganizationAppService } from '@keel/hub/contracts'
import {
  ChargeCodeAppService,
  LanePointType,
  QuoteAppService,
  QuoteStatus,
  RateBasis,
  RateCardAppService,
  RateCardType,
  RateLaneAppService,
  RateLineAppService,
} from '@keel/pricing/contracts'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { type Hold, hold, holderName, holdWrites } from '../support/holds.js'
import { type HostProcess, startApiProcess } from '../support/host-process.js'
import { startOwnServer } from '../support/own-server.js'
import { isLong, sizeOf } from '../support/size.js'
import { copyDatabases } from '../support/spare-databases.js'

const databases = ['Default', 'Hub', 'Pricing'] as const
type DatabaseName = (typeof databases)[number]
/** What is killed: the API host, or PostgreSQL (in the short form its connections to the host). */
type Victim = 'host' | 'server'

/** The steps of an acceptance up to the charges of the shipment, by the table that each writes to. */
const steps = [
  ['Hub', 'HubShipments'],
  ['Pricing', 'PricingShipmentCharges'],
  'the events were delivered, and are not deleted from the outbox',
  ['Pricing', 'PricingQuotes'],
  ['Pricing', 'AbpEventOutbox'],
  ['Hub', 'AbpEventInbox'],
  ['Hub', 'HubShipmentAddresses'],
  ['Hub', 'AbpEventOutbox'],
  ['Pricing', 'AbpEventInbox'],
] as const

/**
 * In the short form the server is killed at the first step, and the host at the second one. In the long form both are killed at each step in turn, and every
 * fourth time at any moment.
 */
const kills: readonly Victim[] = [
  ...Array.from({ length: sizeOf(1, 50) }, () => 'server' as const),
  ...Array.from({ length: sizeOf(1, 50) }, () => 'host' as const),
]
const patience = { timeout: 60_000, interval: 25 }
const charges = [
  ['OFR', '1000'],
  ['BAF', '120.5'],
  ['DDOC', '65'],
] as const

test(
  `a quote whose acceptance is killed at any step, ${kills.length} times, becomes one shipment with its charges`,
  async () => {
    const run = await startRun()
    const quotes: Prepared[] = []
    for (const _ of kills) quotes.push(await run.quote())
    for (const [index, victim] of kills.entries()) {
      const quote = quotes[index] as Prepared
      await run.quiet()
      await run.acceptKilled(quote, victim, index)
      await run.acceptUntilDone(quote)
    }
    await run.quiet()
    expect(await run.outcomes()).toEqual(quotes.map(({ id }) => ({ id, ...whole })))
    expect(run.refusals()).toEqual([])
  },
  120_000 + kills.length * 10_000,
)

/** A quote that was sent, with the option to be accepted. */
interface Prepared {
  readonly id: string
  readonly optionId: string
}

/** A quote that became one shipment for its customer, with each charge once. */
const whole = {
  ...{ isConverted: true, shipments: 1, customers: 1, charges: charges.length, ofShipment: charges.length },
  sell: '1185.5',
}

async function startRun() {
  const own = isLong ? await startOwnServer() : undefined
  const copies = own ? undefined : await copyDatabases()
  if (copies) onTestFinished(() => copies.drop())
  const env = (own ?? copies)?.env ?? {}
  const urlOf = (database: DatabaseName) => env[`ConnectionStrings__${database}`] ?? ''
  const issuer = await TokenIssuer.start()
  onTestFinished(() => issuer.stop())
  const [admin] = await query<{ id: string }>(
    'Default',
    `select "Id" as id from "AbpUsers" where "UserName" = 'admin'`,
  )
  const token = await issuer.token({ subject: admin?.id ?? '', expiresIn: 7200 })
  const refused = new Set<string>()
  let host = startHost()
  let url = await host.url
  const card = await addRates()
  return {
    /** A new quote that waits for its acceptance. */
    async quote(): Promise<Prepared> {
      const { id } = await service(QuoteAppService).create({
        ...{ organizationId: card.organizationId, transportModeCode: 'Sea', containerModeCode: 'LCL' },
        ...{ originUnLocode: 'CNSGH', destinationUnLocode: 'DEHAM', currencyCode: 'EUR' },
        cargoLines: [{ quantity: 1, grossWeightKg: 500, volumeM3: 1 }],
      })
      await service(QuoteAppService).calculate(id, {})
      const { options } = await service(QuoteAppService).submit(id, {})
      return { id, optionId: options?.[0]?.id ?? '' }
    },

    /** Until everything that was published is handled, lest a kill meets something else. */
    async quiet(): Promise<void> {
      const waiting = async () => {
        const counts = await Promise.all(
          databases.map((database) =>
            query<{ n: number }>(
              database,
              `select (select count(*) from "AbpEventOutbox")::int + (select count(*) from "AbpEventInbox" where "Status" <> 2)::int as n`,
            ),
          ),
        )
        return counts.flat().reduce((sum, { n }) => sum + n, 0)
      }
      await expect.poll(waiting, patience).toBe(0)
    },

    /** Accepts a quote, and kills while the step whose turn it is waits. */
    async acceptKilled(quote: Prepared, victim: Victim, index: number): Promise<void> {
      const isTimed = isLong && index % 4 === 3
      const step = steps[index % steps.length] as (typeof steps)[number]
      const waiting = isTimed ? undefined : await held(step)
      const accepted = accept(quote)
      if (waiting) await waiting.isMet()
      else await sleep(Math.random() * 400)
      await kill(victim)
      await waiting?.release()
      if (victim === 'host') await restart()
      await accepted
    },

    /** A caller that got no answer accepts again until the quote is not open any more; then waits for the shipment. */
    async acceptUntilDone(quote: Prepared): Promise<void> {
      const status = async () => {
        const [found] = await query<{ status: QuoteStatus }>(
          'Pricing',
          `select "Status" as status from "PricingQuotes" where "Id" = $1`,
          [quote.id],
        )
        if (found?.status === QuoteStatus.Sent) await accept(quote)
        return found?.status
      }
      await expect
        .poll(status, patience)
        .toBe(QuoteStatus.Converted)
        .catch((error) => {
          throw new Error(host.said().slice(-3000), { cause: error })
        })
    },

    /** What became of each quote. */
    async outcomes() {
      const rows = await query<{ id: string; shipmentId: string }>(
        'Pricing',
        `select q."Id" as id, q."Status" = ${QuoteStatus.Converted} as "isConverted", q."ShipmentId" as "shipmentId", count(c."Id")::int as charges,
          count(c."Id") filter (where c."ShipmentId" = q."ShipmentId")::int as "ofShipment", trim_scale(sum(c."SellAmount"))::text as sell
          from "PricingQuotes" q left join "PricingQuoteCharges" qc on qc."QuoteOptionId" = q."SelectedOptionId"
          left join "PricingShipmentCharges" c on c."QuoteChargeId" = qc."Id" group by q."Id" order by q."CreationTime", q."Reference"`,
      )
      const shipments = await query<{ id: string; quote: string; customers: number }>(
        'Hub',
        `select s."Id" as id, s."ExternalId" as quote, count(a."Id")::int as customers from "HubShipments" s
          left join "HubShipmentAddresses" a on a."ShipmentId" = s."Id" where s."SourceSystem" = 'Pricing' group by s."Id"`,
      )
      return rows.map(({ shipmentId, ...row }) => {
        const own = shipments.filter(({ quote }) => quote === row.id)
        const customers = own.find(({ id }) => id === shipmentId)?.customers
        return { ...row, shipments: own.length, customers }
      })
    },

    /** Answers to acceptances that a caller should not get from a host or a server that was killed. */
    refusals: () => [...refused],
  }

  function startHost(): HostProcess {
    const started = startApiProcess({
      ...env,
      AuthServer__Authority: issuer.address,
      AuthServer__RequireHttpsMetadata: 'false',
      Log__Requests: 'false',
      Events__PollMs: '100',
      Events__FirstRetryMs: '50',
      Events__MaxRetries: '100',
      'Settings__Pricing.MinMarginPercent': '0',
    })
    onTestFinished(async () => {
      started.child.kill('SIGKILL')
      await started.exitCode
    })
    return started
  }

  function service<S extends AnyAppService>(contract: S): InstanceType<S> {
    return createClient(contract, { baseUrl: url, accessToken: () => token, retry: false })
  }

  /** One statement on a connection of its own, once the server is there. */
  async function query<R extends object>(
    database: DatabaseName,
    text: string,
    values: unknown[] = [],
  ): Promise<R[]> {
    const client = new pg.Client({ connectionString: urlOf(database) })
    await client.connect()
    try {
      return (await client.query<R>(text, values)).rows
    } finally {
      await client.end()
    }
  }

  /** A customer, and a card of which every quote gets the same option. */
  async function addRates() {
    const organization = await service(OrganizationAppService).create({
      ...{ code: 'BUYER', fullName: 'Buyer', countryCode: 'NL' },
    })
    const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
    const { id: rateCardId } = await service(RateCardAppService).create({
      ...{ reference: 'RATES', name: 'Rates', cardType: RateCardType.Buy, currencyCode: 'EUR' },
      ...{ transportModeCode: 'Sea', containerModeCode: 'LCL', validFrom: day(-30), validTo: day(60) },
    })
    const lane = await service(RateLaneAppService).create({
      ...{ rateCardId, laneNumber: 1, originType: LanePointType.Port, originUnLocode: 'CNSGH' },
      ...{ destinationType: LanePointType.Port, destinationUnLocode: 'DEHAM' },
    })
    const { items } = await service(ChargeCodeAppService).getList({ maxResultCount: 200 })
    for (const [code, amount] of charges)
      await service(RateLineAppService).create({
        ...{ rateLaneId: lane.id, basis: RateBasis.PerBill, currencyCode: 'EUR', amount },
        chargeCodeId: items.find((one) => one.code === code)?.id ?? '',
      })
    // As its approval by somebody else leaves it.
    await query('Pricing', `update "PricingRateCards" set "Status" = 2 where "Id" = $1`, [rateCardId])
    return { organizationId: organization.id }
  }

  /** Accepts once; an answer other than that the host or the server is away, or that it was accepted before, is kept. */
  async function accept({ id, optionId }: Prepared): Promise<void> {
    try {
      await service(QuoteAppService).accept(id, { optionId })
    } catch (error) {
      const { status, code } = error as KeelError
      const isExpected = status === undefined || [503, 409].includes(status)
      if (!isExpected && code !== 'Pricing:Quote:InvalidStatusTransition') refused.add(`${status} ${code}`)
    }
  }

  async function kill(victim: Victim): Promise<void> {
    if (victim === 'host') {
      host.child.kill('SIGKILL')
      await host.exitCode
    } else if (own) await own.crash()
    else
      await Promise.all(
        databases.map((database) =>
          query(
            database,
            `select pg_terminate_backend(pid) from pg_stat_activity
              where datname = current_database() and pid <> pg_backend_pid() and application_name <> $1`,
            [holderName],
          ),
        ),
      )
  }

  async function restart(): Promise<void> {
    host = startHost()
    url = await host.url
  }

  async function held(step: (typeof steps)[number]): Promise<Hold> {
    return typeof step === 'string' ? holdDelivered() : holdWrites(urlOf(step[0]), step[1])
  }

  /** Makes the relay wait after it put the events of an acceptance into the inboxes, before it deletes them from the outbox. */
  async function holdDelivered(): Promise<Hold> {
    const delivering = await holdWrites(urlOf('Hub'), 'AbpEventInbox')
    let deleting: Hold | undefined
    return {
      async isMet() {
        await delivering.isMet()
        deleting = await hold(urlOf('Pricing'), 'select from "AbpEventOutbox" for key share')
        await delivering.release()
        return deleting.isMet()
      },
      release: async () => deleting?.release(),
    }
  }
}
