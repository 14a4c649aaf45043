import { Injectable } from '@keel/framework'
import { guid, instant, z } from '@keel/framework/contracts'
import { UnitOfWork } from '@keel/framework/data'
import { EventHandler } from '@keel/framework/events'
import { BackgroundJobs, JobArgs, JobHandler } from '@keel/framework/jobs'
import { PortCodeChangedEto } from '@keel/hub/contracts'
import { PortsOfRows } from '../persistence/followed-ports.js'
import { secondPassMs } from './second-pass.js'

/** Writes once more what Hub told last of a port: requests that were under way may have written the code before. */
export class FollowPortArgs extends JobArgs('Pricing.FollowPort', {
  portId: guid(),
  oldCode: z.string(),
  changeTime: instant(),
}) {}

/**
 * Lets lanes, zones and quotes follow the codes of Hub's ports (domain model, section 6.5). Each event is handled exactly once. An event that comes late leads to the code
 * that the port has by then.
 */
@Injectable()
export class FollowedPorts {
  constructor(
    private readonly ports: PortsOfRows,
    private readonly jobs: BackgroundJobs,
  ) {}

  @EventHandler(PortCodeChangedEto)
  async followCode({
    entityId: portId,
    reference: code,
    oldCode,
    occurredAt,
  }: PortCodeChangedEto): Promise<void> {
    await this.ports.lock()
    await this.ports.noteCode(portId, code, occurredAt)
    const change = { portId, oldCode, changeTime: occurredAt }
    await this.write(change)
    await this.jobs.enqueue(new FollowPortArgs(change), { delayMs: secondPassMs })
  }

  @JobHandler(FollowPortArgs)
  async writeAgain(change: FollowPortArgs): Promise<void> {
    await UnitOfWork.run(async () => {
      await this.ports.lock()
      await this.write(change)
    })
  }

  private async write({
    portId,
    oldCode,
    changeTime,
  }: Pick<FollowPortArgs, 'portId' | 'oldCode' | 'changeTime'>): Promise<void> {
    const code = await this.ports.codeOf(portId)
    if (code) await this.ports.recode(oldCode, code, new Date(changeTime.getTime() + secondPassMs))
  }
}
