import type { JobContext } from '@keel/framework/jobs'

/** Until a job looks again whether another one of its owner is still at work. */
const turnMs = 3000

/** Lets the jobs of an owner take turns in this process: those of others do not wait for all of them. */
export class OwnerTurns {
  private readonly owners = new Set<string>()

  /** Does the work of a job, or lets the job come again while another one of the owner is at work. */
  async take(
    ownerId: string,
    { postpone }: Pick<JobContext, 'postpone'>,
    work: () => Promise<void>,
  ): Promise<void> {
    if (this.owners.has(ownerId)) {
      postpone(turnMs)
      return
    }
    this.owners.add(ownerId)
    try {
      await work()
    } finally {
      this.owners.delete(ownerId)
    }
  }
}
