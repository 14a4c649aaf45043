import { ambient, Clock, computedResult, Injectable, Logger } from '@keel/framework'
import {
  BusinessError,
  ConcurrencyError,
  EntityNotFoundError,
  ValidationError,
} from '@keel/framework/contracts'
import { expectStamp, Locks, UnitOfWork } from '@keel/framework/data'
import { BackgroundJobs, JobAbandoned, JobArgs, type JobContext, JobHandler } from '@keel/framework/jobs'
import { hasPermission, withoutRestricted } from '@keel/framework/security'
import {
  PricingErrors,
  QuotePermissions,
  ReRateQuotesDto,
  ReRatingDto,
  type ReRatingJobDto,
  statusAfter,
} from '../contracts/index.js'
import type { Quote } from '../domain/quote.js'
import { type ComparedOption, isEqual, optionChanges } from '../domain/quote-differences.js'
import { QuoteChargeStore, QuoteOptionStore, QuoteStore } from '../persistence/stores.js'
import { QuoteChanges } from './quote-changes.js'
import { descriptionOf, QuoteOptions } from './quote-options.js'

/** The most of these jobs of a user that wait or run. */
const mostOpenJobs = 5

/** The job that prices quotes again, in the name of the caller who asked for it. */
export class ReRateQuotesArgs extends JobArgs('Pricing.ReRateQuotes', ReRateQuotesDto.shape, {
  runsAs: 'user',
  maxTries: 3,
  isLong: true,
}) {}

/** Prices open quotes again by the rates of today. */
@Injectable()
export class QuoteReRating {
  constructor(
    private readonly quotes: QuoteStore,
    private readonly options: QuoteOptionStore,
    private readonly charges: QuoteChargeStore,
    private readonly calculated: QuoteOptions,
    private readonly changes: QuoteChanges,
    private readonly jobs: BackgroundJobs,
    private readonly locks: Locks,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** What would change; nothing is written. Throws what keeps the quote from being priced. */
  async preview(id: string): Promise<ReRatingDto> {
    const quote = await this.quotes.get(id)
    this.changes.demand(quote, 'reRate')
    const before = await this.before(quote)
    const after = await this.priced(quote, before)
    const options = optionChanges(
      before,
      after.map((option) => ({
        ...option,
        charges: option.charges.map((charge) => ({ ...charge, description: descriptionOf(charge) })),
      })),
    )
    const { reference, status, currencyCode, concurrencyStamp, pricingDate, validUntil } = quote
    const value = {
      ...{ quoteId: id, reference, status, currencyCode, concurrencyStamp, options },
      ...{ pricingDateBefore: pricingDate, pricingDateAfter: this.today },
      ...{ validUntilBefore: validUntil, validUntilAfter: after[0]?.validUntil ?? null },
      hasChanges: options.some(
        (option) =>
          option.charges.length > 0 ||
          !isEqual(option.sellBefore, option.sellAfter) ||
          !isEqual(option.costBefore, option.costAfter),
      ),
    }
    return computedResult(ReRatingDto, withoutRestricted(ReRatingDto, value, ambient().principal))
  }

  /** Replaces the options of a quote, which has to be sent again then. */
  async apply(id: string, input: object): Promise<void> {
    const quote = await this.quotes.get(id)
    expectStamp(quote, input)
    this.changes.demand(quote, 'reRate')
    const options = await this.priced(quote, await this.before(quote))
    await this.calculated.replace(quote, options)
    await this.changes.perform(quote, 'reRate', {
      values: {
        ...{ pricingDate: this.today, validUntil: options[0]?.validUntil ?? null, selectedOptionId: null },
      },
    })
  }

  /** Has a job price quotes again. Refuses a caller of whom some such jobs wait or run. */
  async start({ quotes }: ReRateQuotesDto): Promise<ReRatingJobDto> {
    const { userId } = ambient().principal
    await this.locks.hold(`${ReRateQuotesArgs.jobName} ${userId}`, { database: this.jobs.database })
    if (userId && (await this.jobs.countOpen(ReRateQuotesArgs.jobName, userId)) >= mostOpenJobs)
      throw new BusinessError(PricingErrors.QuoteTooManyReRatings, { most: mostOpenJobs })
    return { jobId: await this.jobs.enqueue(new ReRateQuotesArgs({ quotes })) }
  }

  /** Each quote in a unit of work of its own. One that was changed since it was seen stays as it is; of one that cannot be priced the reason is noted. */
  @JobHandler(ReRateQuotesArgs)
  async run({ quotes }: ReRateQuotesArgs, { signal, progress }: JobContext): Promise<void> {
    if (!hasPermission(QuotePermissions.Edit))
      throw new JobAbandoned(`${QuotePermissions.Edit} is not granted`)
    const counts = { reRated: 0, changedSince: 0, refused: 0 }
    for (const [at, { id, ...input }] of quotes.entries()) {
      signal.throwIfAborted()
      try {
        await UnitOfWork.run(() => this.apply(id, input))
        counts.reRated += 1
      } catch (error) {
        if (error instanceof ConcurrencyError || error instanceof EntityNotFoundError)
          counts.changedSince += 1
        else if (error instanceof BusinessError || error instanceof ValidationError) {
          counts.refused += 1
          await UnitOfWork.run(() => this.noteRefusal(id, error))
        } else throw error
      }
      progress(Math.floor(((at + 1) / quotes.length) * 100))
    }
    this.logger.info(counts, 'quotes priced again')
  }

  private get today(): string {
    return this.clock.now.toISOString().slice(0, 10)
  }

  private priced(quote: Quote, before: readonly ComparedOption[]) {
    const includeOptional = before.some(({ charges }) => charges.some(({ isOptional }) => isOptional))
    return this.calculated.calculate(quote, { includeOptional, pricingDate: this.today })
  }

  private async before({ id }: Quote): Promise<ComparedOption[]> {
    const charges = (await this.charges.ofQuote(id)).sort((a, b) => a.sortOrder - b.sortOrder)
    const options = (await this.options.ofQuote(id)).sort((a, b) => a.optionNumber - b.optionNumber)
    return options.map((option) => {
      const { carrierCode, viaUnLocode, totalSell, totalCost, marginPercent } = option
      return {
        ...{ carrierCode, viaUnLocode, totalSell, totalCost, marginPercent },
        charges: charges.filter(({ quoteOptionId }) => quoteOptionId === option.id),
      }
    })
  }

  private async noteRefusal(id: string, error: BusinessError | ValidationError): Promise<void> {
    const quote = await this.quotes.find(id)
    if (!quote || statusAfter('reRate', quote.status) === undefined) return
    const fault = error instanceof ValidationError ? error.validationErrors[0]?.text?.key : undefined
    await this.quotes.update(quote, { statusReason: fault ?? error.code ?? null })
  }
}
