import { Application, Injectable } from '@keel/framework'
import { BlobStore } from '@keel/framework/blobs'
import { guid } from '@keel/framework/contracts'
import { type Person, UnitOfWork } from '@keel/framework/data'
import { JobArgs, type JobContext, JobHandler, RecurringJob } from '@keel/framework/jobs'
import { PersonAccounts } from '@keel/identity/contracts'
import { PersonalDataErrors, PersonalDataRequestKind } from '../contracts/index.js'
import type { PersonalDataRequest } from '../domain/personal-data-request.js'
import {
  type PersonalDataFile,
  PersonalDataRequestStore,
  type PersonalDataResult,
} from '../persistence/personal-data-requests.js'
import { PersonalRecords } from '../persistence/personal-records.js'
import { endedBy } from './export-runner.js'
import { PersonalDataArchives } from './personal-data-archive.js'
import { PersonalDataNotices } from './personal-data-notices.js'

const maxTries = 5

/** Does what a request about the data of a person asks for. */
export class PersonalDataArgs extends JobArgs(
  'App.PersonalData',
  { requestId: guid() },
  { maxTries, isLong: true },
) {}

const rowsAtOnce = 500
/** Days for which an erasure is repeated: events, mails and logs that were under way arrive within them. */
const repeatedDays = 10

/**
 * Exports and erases the data of persons, as the program. An erasure is one transaction for each module, of which each can be repeated: a process
 * that is killed in the middle is followed by one that does all of it again.
 */
@Injectable()
export class PersonalDataRunner {
  constructor(
    private readonly requests: PersonalDataRequestStore,
    private readonly records: PersonalRecords,
    private readonly archives: PersonalDataArchives,
    private readonly accounts: PersonAccounts,
    private readonly notices: PersonalDataNotices,
    private readonly blobs: BlobStore,
    private readonly application: Application,
  ) {}

  @JobHandler(PersonalDataArgs)
  async run({ requestId }: PersonalDataArgs, { signal, attempt }: JobContext): Promise<void> {
    if (!(await this.requests.begin(requestId))) return
    const request = await this.requests.ofProgram(requestId)
    if (!request) return
    try {
      await this.carryOut(request, signal)
    } catch (error) {
      if (!signal.aborted && attempt >= maxTries) await this.giveUp(request)
      throw error
    }
  }

  @RecurringJob('53 3 * * *')
  async upkeep({ signal }: JobContext): Promise<void> {
    for (const request of await this.requests.abandoned()) await this.giveUp(request)
    for (const userId of await this.requests.lately(repeatedDays))
      await this.erase(await this.person(userId), signal)
    await this.deleteEndedFiles(signal)
    while (!signal.aborted && (await this.requests.deleteOld(rowsAtOnce)) === rowsAtOnce);
  }

  private async carryOut(request: PersonalDataRequest, signal: AbortSignal): Promise<void> {
    const person = await this.person(request.userId)
    switch (request.kind) {
      case PersonalDataRequestKind.Export:
        return this.export(request, person, signal)
      case PersonalDataRequestKind.Preview:
        await this.succeed(request, await this.effects(person, signal))
        return
      case PersonalDataRequestKind.Erasure: {
        const result = request.result ?? (await this.effects(person, signal))
        await this.requests.noteFound(request.id, result)
        await this.erase(person, signal)
        await this.deleteEndedFiles(signal)
        await this.succeed(request, result)
      }
    }
  }

  /** Ends a request and tells its user, in one transaction. False when it is over already. */
  private succeed(
    request: PersonalDataRequest,
    result: PersonalDataResult,
    file?: PersonalDataFile,
  ): Promise<boolean> {
    return UnitOfWork.run(async () => {
      const isOurs = await this.requests.succeed(request.id, result, file)
      if (isOurs) await this.notices.tell(request, false)
      return isOurs
    })
  }

  /** Ends a request without success and tells its user, in one transaction. What the last attempt left of a file is deleted. */
  private async giveUp(request: PersonalDataRequest): Promise<void> {
    await UnitOfWork.run(async () => {
      if (!(await this.requests.fail(request.id, PersonalDataErrors.Failed))) return
      await this.notices.tell(request, true)
      await this.blobs.delete(blobOf(request))
    })
  }

  private async export(request: PersonalDataRequest, person: Person, signal: AbortSignal): Promise<void> {
    const { stream, result } = await this.archives.make(person, new Set(request.omitted))
    const blobName = blobOf(request)
    const { size } = await this.blobs.save(blobName, stream.pipeThrough(endedBy(signal)))
    const file: PersonalDataFile = { blobName, fileSize: size }
    // Without a record nobody could ever delete it. Another worker may have ended the request with the same file.
    const isKept =
      (await this.succeed(request, result, file)) ||
      (await this.requests.ofProgram(request.id))?.blobName === blobName
    if (!isKept) await this.blobs.delete(blobName)
  }

  /** What an erasure does, by kind of data. */
  private async effects(person: Person, signal: AbortSignal): Promise<PersonalDataResult> {
    const result: PersonalDataResult = []
    for (const rows of this.records.rows) {
      signal.throwIfAborted()
      const { outcome } = rows.erasure
      const reason = rows.erasure.outcome === 'Kept' ? rows.erasure.reason : null
      result.push({ name: rows.name, outcome, reason, rows: await this.records.count(rows, person) })
    }
    for (const file of this.records.files) {
      const rows = await this.archives.countFiles(file, person)
      result.push({ name: file.name, outcome: 'Deleted', reason: null, rows })
    }
    return result
  }

  private async erase(person: Person, signal: AbortSignal): Promise<void> {
    for (const { rows } of this.records.modules) {
      signal.throwIfAborted()
      await UnitOfWork.run(async () => {
        for (const declared of rows) await this.records.erase(declared, person)
      })
    }
    await this.archives.deleteFiles(person)
    this.application.logger.info({ userId: person.id }, 'the data of a person was erased')
  }

  private async deleteEndedFiles(signal: AbortSignal): Promise<void> {
    for (let last = rowsAtOnce; last === rowsAtOnce && !signal.aborted; ) {
      const ended = await this.requests.endedFiles(rowsAtOnce)
      for (const { id, blobName } of ended) {
        await this.blobs.delete(blobName)
        await this.requests.forgetFile(id)
      }
      last = ended.length
    }
  }

  private async person(id: string): Promise<Person> {
    return { id, email: (await this.accounts.find(id))?.email }
  }
}

/** The name of the file that an export writes. */
const blobOf = ({ id }: PersonalDataRequest): string => `app/personal-data/${id}`
