import { ambient, Injectable, Localization } from '@keel/framework'
import {
  BusinessError,
  ConcurrencyError,
  KeelError,
  type TextReference,
  UnavailableError,
  ValidationError,
} from '@keel/framework/contracts'
import { UnitOfWork } from '@keel/framework/data'
import { demandPermission } from '@keel/framework/security'
import {
  type UpsertedDto,
  type UpsertedManyDto,
  type UpsertFaultDto,
  UpsertOutcome,
} from '../contracts/index.js'

/** How rows of a list are found, created and changed: by the operations of its service, with all of their rules. */
export interface UpsertSteps<I> {
  /** The permission to create. That to change is the operation's own. */
  readonly create: { readonly permission: string; run(input: I): Promise<{ readonly id: string }> }
  /** The codes of the refusals of names that are taken: another caller may have created the row in the meantime. */
  readonly taken: readonly string[]
  /** The row with the key of an input, if the caller sees one. */
  find(input: I): Promise<UpsertedRow | undefined>
  update(id: string, input: I): Promise<void>
}

/** A row as it is compared. */
export interface UpsertedRow {
  readonly id: string
  readonly concurrencyStamp: string
}

/** Creates rows that are not there and changes the others, each in a transaction of its own. A call that is repeated changes nothing. */
@Injectable()
export class Upserts {
  constructor(private readonly localization: Localization) {}

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

  /** Writes rows one after the other. One that is refused is told in its result, and does not keep the others from being written. */
  async many<I>(inputs: readonly I[], steps: UpsertSteps<I>): Promise<UpsertedManyDto> {
    const rows: UpsertedManyDto['rows'] = []
    for (const [index, input] of inputs.entries()) {
      try {
        rows.push({ index, ...(await this.one(input, steps)), faults: [] })
      } catch (error) {
        if (!(error instanceof KeelError) || error instanceof UnavailableError) throw error
        rows.push({ index, outcome: UpsertOutcome.Failed, id: null, faults: this.faultsOf(error) })
      }
    }
    const countOf = (wanted: UpsertOutcome) => rows.filter(({ outcome }) => outcome === wanted).length
    return {
      created: countOf(UpsertOutcome.Created),
      updated: countOf(UpsertOutcome.Updated),
      unchanged: countOf(UpsertOutcome.Unchanged),
      failed: countOf(UpsertOutcome.Failed),
      rows,
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
