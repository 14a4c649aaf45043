import { Cron } from 'croner'
import type { z } from 'zod'
import { type AnyDto, Dto, type DtoClass } from '../contracts/dto.js'
import type { Constructor } from '../modularity/class.js'
import type { LocalService } from '../modularity/service-bindings.js'
import { StartupError } from '../modularity/startup-error.js'
import type { JobPriority } from './background-job.js'

/** The options of a kind of job. */
export interface JobOptions {
  /** Attempts before it is given up; 10 when not given. */
  readonly maxTries?: number
  /** Normal when not given. */
  readonly priority?: JobPriority
  /**
   * True for work that can take longer than some seconds: files, many rows, servers of other people. A process
   * keeps a place free of such jobs, so that mails and codes do not wait for them.
   */
  readonly isLong?: boolean
  /**
   * `user`: the job runs in the name of the caller who adds it, or of the person that the program names, with the
   * rights that the person has when it runs. Given up at once when the person is deleted, inactive or
   * locked out. `system`, the default: it runs as the program, which may do everything.
   */
  readonly runsAs?: 'system' | 'user'
}

/** A class of job arguments. */
export interface AnyJobArgs extends AnyDto {
  readonly jobName: string
  readonly jobOptions: JobOptions
}

/**
 * The base of a job's arguments: they name the kind of job, and are checked when it is added and when it
 * runs. Everything in them must survive JSON: an instant is `instant()`.
 * @example export class SendInvoiceArgs extends JobArgs('Pricing.SendInvoice', { invoiceId: z.guid() }, { maxTries: 5 }) {}
 */
export function JobArgs<S extends z.ZodRawShape>(
  jobName: string,
  shape: S,
  jobOptions: JobOptions = {},
): DtoClass<S> & { readonly jobName: string; readonly jobOptions: JobOptions } {
  return Object.defineProperties(Dto(shape), {
    jobName: { value: jobName },
    jobOptions: { value: jobOptions },
  }) as DtoClass<S> & { readonly jobName: string; readonly jobOptions: JobOptions }
}

/** Facts about the attempt that a running job gets. */
export interface JobContext {
  readonly id: string
  /** 1 at the first time. */
  readonly attempt: number
  /**
   * Fires when the job was cancelled, the process stops, or the queue is not reached any more and others may
   * take the job. A job that takes longer than some seconds heeds it, and never runs twice at once.
   */
  readonly signal: AbortSignal
  /** Tells who watches how far it is. @param percent 0 to 100 */
  progress(percent: number, text?: string): void
  /**
   * Lets the same job run again later instead of being done, once its method has returned. The attempt does not count. For jobs that wait for a
   * turn, not for what failed.
   * @param delayMs milliseconds from the end of this attempt
   */
  postpone(delayMs: number): void
}

/** Thrown by a job that will never succeed: it is given up at once. */
export class JobAbandoned extends Error {}

/** A method that does jobs. */
export interface JobMethod {
  readonly method: string
  readonly args?: AnyJobArgs
  readonly recurring?: { readonly cron: string; readonly timeZone: string }
  /** The kinds of a {@link ContractJobHandler}. */
  readonly argsOf?: ArgsOfContract
}

/** The arguments of the kind of job that a contract has; undefined for contracts without one. */
export type ArgsOfContract = (local: LocalService) => AnyJobArgs | undefined

const methods = new WeakMap<object, JobMethod[]>()

/**
 * Makes a method do the jobs of a kind; its class stands in `services` of a module. What it throws is tried
 * again later. It runs as the program itself, or as the person that `runsAs` says, and outside of any unit of work.
 * @example @JobHandler(SendInvoiceArgs) async send({ invoiceId }: SendInvoiceArgs, { signal }: JobContext): Promise<void> { … }
 */
export function JobHandler(args: AnyJobArgs) {
  return (prototype: object, method: string): void => add(prototype, { method, args })
}

/**
 * Makes a method do jobs of a kind for each contract that the host serves, so that no job is taken by a host without its contract. The
 * method gets the contract and its service behind the context.
 * @example @ContractJobHandler(importJobOf) async run({ importId }: ImportArgs, job: JobContext, local: LocalService): Promise<void> { … }
 */
export function ContractJobHandler(argsOf: ArgsOfContract) {
  return (prototype: object, method: string): void => add(prototype, { method, argsOf })
}

/**
 * Makes a method run again and again, in one process at a time, at the times of a cron expression (five
 * fields, or six with seconds first). A time that nobody was there for is made up for once. Without a time
 * zone it is UTC.
 * @example @RecurringJob('30 2 * * *', 'Europe/Berlin') async report(job: JobContext): Promise<void> { … }
 */
export function RecurringJob(cron: string, timeZone = 'UTC') {
  return (prototype: object, method: string): void => {
    try {
      nextTime({ cron, timeZone })
    } catch (error) {
      throw new StartupError(
        `${prototype.constructor.name}.${method}: '${cron}' in '${timeZone}' is no cron expression with a time zone: ${(error as Error).message}`,
      )
    }
    add(prototype, { method, recurring: { cron, timeZone } })
  }
}

/** When a cron expression is due next. Throws when it is none, or never due again. */
export function nextTime({ cron, timeZone }: { cron: string; timeZone: string }, after = new Date()): Date {
  // Without a time zone to look up, which costs a start more than all else of the jobs.
  const place = timeZone === 'UTC' ? { utcOffset: 0 } : { timezone: timeZone }
  const next = new Cron(cron, { ...place, paused: true }).nextRun(after)
  if (!next) throw new Error('it is never due')
  return next
}

function add(prototype: object, method: JobMethod): void {
  methods.set(prototype.constructor, [...(methods.get(prototype.constructor) ?? []), method])
}

/** The methods of a service that do jobs. */
export function jobMethodsOf(service: Constructor): readonly JobMethod[] {
  return methods.get(service) ?? []
}
