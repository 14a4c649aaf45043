import { BusinessError, ValidationError, z } from '../contracts/index.js'
import { JobPriority } from '../jobs/background-job.js'
import { BackgroundJobs } from '../jobs/background-jobs.js'
import { JobAbandoned, JobArgs, JobHandler } from '../jobs/job-handler.js'
import { Injectable } from '../modularity/injectable.js'
import { Mailer, type MailMessage } from './mailer.js'

/** A message that waits to be sent. */
export class SendMailArgs extends JobArgs(
  'Keel.SendMail',
  {
    to: z.string(),
    subject: z.string(),
    text: z.string(),
    html: z.string().optional(),
    from: z.object({ address: z.string(), name: z.string().optional() }).optional(),
  },
  { priority: JobPriority.AboveNormal, maxTries: 12 },
) {}

/** Mail that is sent later, as jobs: what waits survives the process, and is sent by whichever host has workers. */
@Injectable()
export class MailQueue {
  constructor(
    private readonly jobs: BackgroundJobs,
    private readonly mailer: Mailer,
  ) {}

  /** Adds a message, in the transaction at hand. */
  async add(message: MailMessage): Promise<void> {
    await this.jobs.enqueue(new SendMailArgs(message as never))
  }

  @JobHandler(SendMailArgs)
  async send(message: SendMailArgs): Promise<void> {
    try {
      await this.mailer.send(message as MailMessage)
    } catch (error) {
      // A server that is away comes back; one that refuses will refuse again.
      if (error instanceof BusinessError || error instanceof ValidationError)
        throw new JobAbandoned(error.message, { cause: error })
      throw error
    }
  }
}
