import { randomUUID } from 'node:crypto'
import { BlobStore } from '../blobs/blob-store.js'
import { z } from '../contracts/index.js'
import { UnitOfWork } from '../data/connections/unit-of-work.js'
import { sql } from '../data/wire/sql.js'
import { BackgroundJobs } from '../jobs/background-jobs.js'
import { JobArgs, JobHandler } from '../jobs/job-handler.js'
import { Injectable } from '../modularity/injectable.js'
import type { MailAttachment } from './mailer.js'

const sweepMs = 24 * 3_600_000
/** Days for which an administrator may try a mail again that was given up. */
const retryDays = 7
/** The name of the jobs that send mail. */
export const sendMailJob = 'Keel.SendMail'

/** A file that was kept for mails. */
export class SweepMailFileArgs extends JobArgs('Keel.SweepMailFile', { blob: z.string() }) {}

/**
 * Files that are kept for mails alone, in the blob store under `mail/`: each goes when the last mail with it was sent. One whose mail never
 * came about, or was given up, is swept: after a day, or a week.
 */
@Injectable()
export class MailFiles {
  constructor(
    private readonly jobs: BackgroundJobs,
    private readonly blobs: BlobStore,
  ) {}

  /**
   * Keeps the content of a stream for a message that is sent later. Never in memory as a whole.
   * @example await this.mailer.sendLater({ …, attachments: [await this.files.keep({ fileName: 'ports.csv', contentType: 'text/csv' }, stream)] })
   */
  async keep(
    file: Pick<MailAttachment, 'fileName' | 'contentType'>,
    content: ReadableStream<Uint8Array>,
  ): Promise<MailAttachment> {
    const blob = `mail/${randomUUID()}`
    // Enqueued outside the unit of work and before the blob is saved, so that the blob is deleted also when
    // this process ends.
    await UnitOfWork.apart(() => this.jobs.enqueue(new SweepMailFileArgs({ blob }), { delayMs: sweepMs }))
    await this.blobs.save(blob, content)
    return { ...file, blob }
  }

  /** Removes the kept files of a mail that was sent, unless other mails wait for them. */
  async release(
    attachments: readonly { readonly blob?: string | undefined }[],
    jobId: string,
  ): Promise<void> {
    for (const { blob } of attachments)
      if (blob?.startsWith('mail/') && !(await this.isWaitedFor(blob, jobId))) await this.blobs.delete(blob)
  }

  @JobHandler(SweepMailFileArgs)
  async sweep({ blob }: SweepMailFileArgs): Promise<void> {
    if (await this.isWaitedFor(blob))
      await this.jobs.enqueue(new SweepMailFileArgs({ blob }), { delayMs: sweepMs })
    else await this.blobs.delete(blob)
  }

  private async isWaitedFor(blob: string, exceptJob: string | null = null): Promise<boolean> {
    const [found] = await this.jobs.database.query<{ isWaitedFor: boolean }>(sql`
      select exists (select from "AbpBackgroundJobs" where "JobName" = ${sendMailJob} and "CompletionTime" is null
        and (not "IsAbandoned" or "LastTryTime" > now() at time zone 'utc' - make_interval(days => ${retryDays}))
        and "Id" is distinct from ${exceptJob}::uuid and strpos("JobArgs", ${blob}) > 0) as "isWaitedFor"`)
    return found?.isWaitedFor === true
  }
}
