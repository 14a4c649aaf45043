import { UnitOfWork } from '@keel/framework/data'

/** Runs `work` once what it tells of is true: after the unit of work at hand, or at once without one. */
export async function whenCommitted(work: () => Promise<void>): Promise<void> {
  const unit = UnitOfWork.current
  if (unit) unit.onCommitted(work)
  else await work()
}
