import { KeelError } from '../contracts/index.js'
import type { Ambient } from '../modularity/ambient.js'
import type { Application } from '../modularity/application.js'
import type { Clock } from '../modularity/clock.js'
import { maskSecrets } from '../modularity/logging.js'
import { type AuditLog, AuditStore } from './audit-log.js'
import { AuditScope } from './audit-scope.js'
import { Auditing } from './auditing.module.js'
import { shortened } from './masked-json.js'

const longestExceptions = 16_000

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
    const message = maskSecrets(error instanceof Error ? error.message : String(error))
    scope.failed({ code, message, details: null, data: {}, validationErrors: null })
    throw error
  } finally {
    scope.answered()
  }
}

type Noted = Omit<AuditLog, 'applicationName' | 'principal' | 'correlationId'>

class ProgramAudit extends AuditScope {
  constructor(
    clock: Clock,
    private readonly keep: (noted: Noted) => void,
  ) {
    super(clock)
  }

  protected override end(): void {
    const { errors, furtherChanges } = this
    this.keep({
      executionTime: this.executionTime,
      executionDuration: this.elapsedMs,
      httpMethod: undefined,
      url: undefined,
      httpStatusCode: undefined,
      clientIpAddress: undefined,
      browserInfo: undefined,
      exceptions: errors.length ? shortened(JSON.stringify(errors), longestExceptions) : undefined,
      comments: furtherChanges ? `${furtherChanges} more entity changes are not told` : undefined,
      actions: this.actions,
      entityChanges: this.entityChanges,
    })
  }
}
