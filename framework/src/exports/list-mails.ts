import {
  BusinessError,
  ConcurrencyError,
  type FileContent,
  isMailAddress,
  KeelError,
  ListMailErrors,
  UnavailableError,
  z,
} from '../contracts/index.js'
import { Locks } from '../data/connections/locks.js'
import { UnitOfWork } from '../data/connections/unit-of-work.js'
import { BackgroundJobs } from '../jobs/background-jobs.js'
import {
  type AnyJobArgs,
  ContractJobHandler,
  JobAbandoned,
  JobArgs,
  type JobContext,
} from '../jobs/job-handler.js'
import { MailFiles } from '../mail/mail-files.js'
import { Mail } from '../mail/mail-settings.js'
import { type MailAttachment, Mailer } from '../mail/mailer.js'
import { ambient } from '../modularity/ambient.js'
import { Application } from '../modularity/application.js'
import { configurationSection } from '../modularity/configuration.js'
import { Injectable } from '../modularity/injectable.js'
import type { LocalService } from '../modularity/service-bindings.js'
import { UserContext } from '../security/user-context.js'
import { mailTemplate, TextTemplates } from '../texts/index.js'
import { type ListFileRequest, ListFiles, listNameOf } from './list-files.js'

const jobPrefix = 'MailList.'
const kinds = new Map<string, AnyJobArgs>()

/** The bounds of lists by mail. The size of a file is bounded by `Mail:MaxAttachmentBytes`. */
export const ListMailSettings = configurationSection('ListMails', {
  /** The most lists of a user that wait to be mailed. */
  maxUnfinished: z.int().min(1).default(3),
})

/** The mails with lists. */
export const ListMailTemplates = {
  List: mailTemplate('Lists.List', {
    parameters: { fileName: 'text' },
    subject: 'Mail:ListSubject',
    body: [{ say: 'Mail:List' }, { note: 'Mail:ListReason' }],
    example: { fileName: 'ports.xlsx' },
  }),
  TooLarge: mailTemplate('Lists.TooLarge', {
    parameters: { fileName: 'text', megabytes: 'text' },
    subject: 'Mail:ListTooLargeSubject',
    body: [{ say: 'Mail:ListTooLarge' }, { note: 'Mail:ListReason' }],
    example: { fileName: 'ports.xlsx', megabytes: '18' },
  }),
}

/** A file with more bytes than a mail may carry. */
class TooLargeForMail extends Error {}

/** The kind of job that mails a list: `MailList.Hub.Port`. It runs in a person's name. */
function mailJobOf(list: string): AnyJobArgs {
  const known = kinds.get(list)
  if (known) return known
  const shape = { format: z.enum(['xlsx', 'csv']), parameters: z.record(z.string(), z.unknown()) }
  const kind = JobArgs(`${jobPrefix}${list}`, shape, { runsAs: 'user', maxTries: 5, isLong: true })
  kinds.set(list, kind)
  return kind
}

/**
 * Mails lists as files to the people in whose name the work runs, to their own confirmed addresses alone. A person who has lost the permission by
 * then, or has no confirmed address any more, gets nothing: the job is given up.
 */
@Injectable()
export class ListMails {
  private readonly maxUnfinished: number
  private readonly maxBytes: number

  constructor(
    private readonly application: Application,
    private readonly lists: ListFiles,
    private readonly jobs: BackgroundJobs,
    private readonly locks: Locks,
    private readonly mailFiles: MailFiles,
    private readonly mailer: Mailer,
    private readonly templates: TextTemplates,
  ) {
    const { configuration } = application
    this.maxUnfinished = configuration.read(ListMailSettings).maxUnfinished
    this.maxBytes = configuration.read(Mail).maxAttachmentBytes
  }

  /**
   * Has a list mailed to the caller, in the transaction at hand. Answers the id of the job. Throws what reading the list would throw now, and
   * `BusinessError` ({@link ListMailErrors}) for a caller without a confirmed address or with too many lists on their way.
   */
  async send(request: ListFileRequest): Promise<{ readonly jobId: string; readonly email: string }> {
    await this.lists.demand(request)
    const { userId } = this.application.get(UserContext).actingFor()
    const email = confirmedAddress()
    if (email === undefined) throw new BusinessError(ListMailErrors.NoConfirmedAddress)
    await this.locks.hold(`${jobPrefix}${userId}`, { database: this.jobs.database })
    if ((await this.jobs.countOpen(jobPrefix, userId)) >= this.maxUnfinished)
      throw new BusinessError(ListMailErrors.TooManyUnfinished, { most: this.maxUnfinished })
    return { jobId: await this.jobs.enqueue(this.argsOf(request)), email }
  }

  /**
   * The arguments of the job that mails a list, for schedules. They are not checked: {@link ListFiles.demand} does that.
   * @example await jobs.repeat(schedule.id, mails.argsOf(schedule.request), { cron: '0 7 * * 1', asUser: schedule.userId })
   */
  argsOf({ list, format, parameters }: ListFileRequest): object {
    const Args = mailJobOf(list)
    return new Args({ format, parameters })
  }

  @ContractJobHandler((local) => {
    const list = listNameOf(local)
    return list === undefined ? undefined : mailJobOf(list)
  })
  async run(
    request: Omit<ListFileRequest, 'list'>,
    { signal }: JobContext,
    local: LocalService,
  ): Promise<void> {
    const to = confirmedAddress()
    if (to === undefined) throw new JobAbandoned(ListMailErrors.NoConfirmedAddress)
    const file = await this.fileOf({ ...request, list: listNameOf(local) ?? '' })
    const { name: fileName } = file
    let attachment: MailAttachment | undefined
    try {
      const content = bounded(file.stream(), { maxBytes: this.maxBytes, signal })
      attachment = await this.mailFiles.keep({ fileName, contentType: file.type }, content)
    } catch (error) {
      if (!(error instanceof TooLargeForMail)) throw error
    }
    const megabytes = String(Math.floor(this.maxBytes / 1_000_000))
    const mail = attachment
      ? await this.templates.mail(ListMailTemplates.List, { fileName })
      : await this.templates.mail(ListMailTemplates.TooLarge, { fileName, megabytes })
    const attachments = [...(mail.attachments ?? []), ...(attachment ? [attachment] : [])]
    await UnitOfWork.run(() => this.mailer.sendLater({ ...mail, to, attachments }))
  }

  /** A refusal will not pass by itself: the job is given up. Faults of the surroundings are tried again. */
  private async fileOf(request: ListFileRequest): Promise<FileContent> {
    try {
      return await this.lists.read(request)
    } catch (error) {
      const isRefusal = error instanceof KeelError
      const mayPass = error instanceof UnavailableError || error instanceof ConcurrencyError
      if (!isRefusal || mayPass) throw error
      throw new JobAbandoned(error.message, { cause: error })
    }
  }
}

/** The confirmed address of the caller as it is stored now; undefined when there is none. */
function confirmedAddress(): string | undefined {
  const { user } = ambient().principal
  return user?.isEmailConfirmed && isMailAddress(user.email) ? user.email : undefined
}

/** The same bytes; fails with {@link TooLargeForMail} past a size, and when the job is to end. */
function bounded(
  content: ReadableStream<Uint8Array>,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
): ReadableStream<Uint8Array> {
  let bytes = 0
  return content.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        signal.throwIfAborted()
        bytes += chunk.byteLength
        if (bytes > maxBytes) throw new TooLargeForMail()
        controller.enqueue(chunk)
      },
    }),
  )
}
