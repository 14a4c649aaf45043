import { KeelError } from '../contracts/index.js'
import type { Ambient } from '../modularity/ambient.js'
import type { Application } from '../modularity/application.js'
import type { Clock } from '../modularity/clock.js'
import { AuditStore } from './audit-log.js'
import { AuditScope } from './audit-scope.js'
import { Auditing } from './auditing.module.js'

/**
 * Runs work of the program in a person's name, with an audit log of its own: `Principal.ranBy` names the program, the
 * principal the person. Reads are kept too: nobody sent a request that could be found instead. Without an
 * audit store, or with auditing switched off, the work runs unaudited.
 */
export async function auditProgram<T>(
  application: Application,
  values: Ambient,
  work: () => Promise<T>,
): Promise<T> {
  const { isEnabled, applicationName = application.name } = application.configuration.read(Auditing)
  const store = isEnabled ? application.find(AuditStore) : undefined
  if (!store) return work()
  const scope = new ProgramAudit(application.clock, (noted) =>
    store.add({
      ...noted,
      applicationName,
      principal: values.principal,
      correlationId: values.correlationId,
    }),
  )
  values.audit = scope
  try {
    return await work()
  } catch (error) {
    const { code = null } = error instanceof KeelError ? error : {}
    const message = error instanceof Error ? error.message : String(error)
    scope.failed({ code, message, details: null, data: {}, validationErrors: null })
    throw error
  } finally {
    scope.answered()
  }
}

class ProgramAudit extends AuditScope {
  constructor(
    clock: Clock,
    private readonly keep: (noted: ReturnType<AuditScope['noted']>) => void,
  ) {
    super(clock)
  }

  protected override end(): void {
    this.keep(this.noted())
  }
}
