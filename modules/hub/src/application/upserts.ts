import { ambient, Injectable, Localization, Logger } from '@keel/framework'
import {
  BusinessError,
  ConcurrencyError,
  KeelError,
  type TextReference,
  UnavailableError,
  ValidationError,
} from '@keel/framework/contracts'
import { UnitOfWork } from '@keel/framework/data'
import { demandPermission, hasPermission } from '@keel/framework/security'
import {
  type UpsertedDto,
  type UpsertedManyDto,
  type UpsertFaultDto,
  UpsertOutcome,
} from '../contracts/index.js'

/** How rows of a list are found, created and changed: by the operations of its service, with all of their rules. */
export interface UpsertSteps<I> {
  readonly create: CreateStep<I>
  /** The codes of the refusals of names that are taken: another caller may have created the row in the meantime. */
  readonly taken: readonly string[]
  /** The row with the key of an input, if the caller sees one. */
  find(input: I): Promise<UpsertedRow | undefined>
  update(id: string, input: I): Promise<void>
}

/** How rows of a list are created. */
export interface CreateStep<I> {
  /** The permission to create. That to change is the operation's own. */
  readonly permission: string
  run(input: I): Promise<Created>
  /** The inputs that no row is there for, and no other input of the call is like: these may be created together. Given with `runEach`. */
  newOf?(inputs: readonly I[]): Promise<ReadonlySet<I>>
  /** Creates rows together as `run` does one after the other; answers for each the row, or why rules refuse it. Throws when the database refuses one. */
  runEach?(inputs: readonly I[]): Promise<readonly (Created | KeelError)[]>
}

interface Created {
  readonly id: string
}

/** A row as it is compared. */
export interface UpsertedRow {
  readonly id: string
  readonly concurrencyStamp: string
}

/**
 * Creates rows that are not there and changes the others, each in a transaction of its own; new rows that follow each other share one where their
 * list can create them together. A call that is repeated changes nothing.
 */
@Injectable()
export class Upserts {
  constructor(
    private readonly localization: Localization,
    private readonly logger: Logger,
  ) {}

  /** Writes a row. Throws the refusals of create and update. */
  async one<I>(input: I, steps: UpsertSteps<I>): Promise<UpsertedDto> {
    const write = () => UnitOfWork.apart(() => UnitOfWork.run(() => writeRow(input, steps)))
    try {
      return await write()
    } catch (error) {
      const isRaced =
        error instanceof ConcurrencyError ||
        (error instanceof BusinessError && steps.taken.includes(error.code ?? ''))
      if (!isRaced) throw error
      return write()
    }
  }

  /** Writes rows in their order. One that is refused is told in its result, and does not keep the others from being written. */
  async many<I>(inputs: readonly I[], steps: UpsertSteps<I>): Promise<UpsertedManyDto> {
    const outcomes: (UpsertedDto | KeelError)[] = []
    for (const run of runsOf(inputs, await newOf(inputs, steps)))
      outcomes.push(...((await this.together(run, steps)) ?? (await this.oneByOne(run, steps))))
    const rows = outcomes.map((outcome, index) =>
      outcome instanceof KeelError
        ? { index, outcome: UpsertOutcome.Failed, id: null, faults: this.faultsOf(outcome) }
        : { index, ...outcome, faults: [] },
    )
    const countOf = (wanted: UpsertOutcome) => rows.filter(({ outcome }) => outcome === wanted).length
    return {
      created: countOf(UpsertOutcome.Created),
      updated: countOf(UpsertOutcome.Updated),
      unchanged: countOf(UpsertOutcome.Unchanged),
      failed: countOf(UpsertOutcome.Failed),
      rows,
    }
  }

  private async oneByOne<I>(
    inputs: readonly I[],
    steps: UpsertSteps<I>,
  ): Promise<(UpsertedDto | KeelError)[]> {
    const outcomes: (UpsertedDto | KeelError)[] = []
    for (const input of inputs) {
      try {
        outcomes.push(await this.one(input, steps))
      } catch (error) {
        if (!(error instanceof KeelError) || error instanceof UnavailableError) throw error
        outcomes.push(error)
      }
    }
    return outcomes
  }

  /** Creates rows in one transaction. Undefined where that is not worth it, and when none was written because the database refused one of them. */
  private async together<I>(
    inputs: readonly I[],
    { create: { runEach } }: UpsertSteps<I>,
  ): Promise<(UpsertedDto | KeelError)[] | undefined> {
    if (!runEach || inputs.length === 1) return undefined
    try {
      const results = await UnitOfWork.apart(() => UnitOfWork.run(() => runEach(inputs)))
      return results.map((result) =>
        result instanceof KeelError ? result : { id: result.id, outcome: UpsertOutcome.Created },
      )
    } catch (error) {
      if (error instanceof UnavailableError) throw error
      this.logger.warn({ err: error, rows: inputs.length }, 'rows are created one by one, not together')
      return undefined
    }
  }

  private faultsOf(error: KeelError): UpsertFaultDto[] {
    if (error instanceof ValidationError)
      return error.validationErrors.map(({ message, members: [member = null], text }) => ({
        member,
        code: text?.key ?? 'ValidationErrorMessage',
        message: this.textOf(text) ?? message,
      }))
    const { code, data, message } = error
    const text = error.text ?? (code === undefined ? undefined : { key: code, ...(data && { data }) })
    return [{ member: null, code: code ?? text?.key ?? error.name, message: this.textOf(text) ?? message }]
  }

  private textOf(text: TextReference | undefined): string | undefined {
    return text && this.localization.find(text.key, ambient().culture, text.data)
  }
}

/** The inputs that may be created together. */
async function newOf<I>(
  inputs: readonly I[],
  { create: { permission, newOf: find } }: UpsertSteps<I>,
): Promise<ReadonlySet<I>> {
  return find && inputs.length > 1 && hasPermission(permission) ? find(inputs) : new Set()
}

/** Inputs in their order: those in a set that follow each other together, and each of the others alone. */
function runsOf<I>(inputs: readonly I[], together: ReadonlySet<I>): I[][] {
  const runs: I[][] = []
  let isOpen = false
  for (const input of inputs) {
    const joins = together.has(input)
    if (joins && isOpen) runs.at(-1)?.push(input)
    else runs.push([input])
    isOpen = joins
  }
  return runs
}

async function writeRow<I>(input: I, steps: UpsertSteps<I>): Promise<UpsertedDto> {
  const before = await steps.find(input)
  if (!before) {
    demandPermission(steps.create.permission)
    const { id } = await steps.create.run(input)
    return { id, outcome: UpsertOutcome.Created }
  }
  const { id, concurrencyStamp } = before
  await steps.update(id, input)
  const isSame = (await steps.find(input))?.concurrencyStamp === concurrencyStamp
  return { id, outcome: isSame ? UpsertOutcome.Unchanged : UpsertOutcome.Updated }
}
