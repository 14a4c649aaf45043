import { BusinessError, ValidationError, z } from '../contracts/index.js'
import { JobPriority } from '../jobs/background-job.js'
import { BackgroundJobs } from '../jobs/background-jobs.js'
import { JobAbandoned, JobArgs, type JobContext, JobHandler } from '../jobs/job-handler.js'
import { Injectable } from '../modularity/injectable.js'
import { Logger } from '../modularity/logging.js'
import { MailFiles, sendMailJob } from './mail-files.js'
import { type MailAttachment, Mailer, type MailMessage } from './mailer.js'

const party = z.object({ address: z.string(), name: z.string().optional() })

/** A message that waits to be sent. */
export class SendMailArgs extends JobArgs(
  sendMailJob,
  {
    to: z.union([z.string(), z.array(z.string())]),
    cc: z.array(z.string()).optional(),
    bcc: z.array(z.string()).optional(),
    replyTo: party.optional(),
    subject: z.string(),
    text: z.string(),
    html: z.string().optional(),
    from: party.optional(),
    attachments: z
      .array(
        z.object({
          fileName: z.string(),
          contentType: z.string(),
          contentId: z.string().optional(),
          blob: z.string().optional(),
          base64: z.string().optional(),
        }),
      )
      .optional(),
    isForNobody: z.boolean().optional(),
  },
  { priority: JobPriority.AboveNormal, maxTries: 12 },
) {}

/** Mail that is sent later, as jobs: what waits survives the process, and is sent by whichever host has workers. */
@Injectable()
export class MailQueue {
  constructor(
    private readonly jobs: BackgroundJobs,
    private readonly mailer: Mailer,
    private readonly files: MailFiles,
    private readonly logger: Logger,
  ) {}

  /** Adds a message, in the transaction at hand. Attachments wait in the blob store. */
  async add({ attachments = [], ...message }: MailMessage): Promise<void> {
    const waiting = attachments.map((attachment) => {
      if (!('content' in attachment)) return attachment
      const { content, ...rest } = attachment
      return { ...rest, base64: Buffer.from(content).toString('base64') }
    })
    await this.jobs.enqueue(new SendMailArgs({ ...message, attachments: waiting } as never))
  }

  @JobHandler(SendMailArgs)
  async send({ attachments = [], ...message }: SendMailArgs, { id, signal }: JobContext): Promise<void> {
    const files = attachments.map(({ base64, ...rest }) =>
      base64 === undefined ? rest : { ...rest, content: Buffer.from(base64, 'base64') },
    )
    try {
      await this.mailer.send({ ...message, attachments: files as MailAttachment[] } as MailMessage, signal)
    } catch (error) {
      // A server that is away comes back; one that refuses will refuse again.
      if (error instanceof BusinessError || error instanceof ValidationError)
        throw new JobAbandoned(error.message, { cause: error })
      throw error
    }
    // The mail is sent: nothing that fails from here on may send it again.
    await this.files
      .release(attachments, id)
      .catch((error: unknown) => this.logger.warn({ err: error }, 'files of a mail are left to the sweep'))
  }
}
