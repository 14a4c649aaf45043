import type { ErrorEnvelope } from '../contracts/error-envelope.js'
import type { Clock } from '../modularity/clock.js'
import { maskSecrets } from '../modularity/logging.js'
import { type AuditedAction, type AuditLog, type EntityChange, mostEntityChanges } from './audit-log.js'
import { shortened } from './masked-json.js'

declare module '../modularity/ambient.js' {
  interface Ambient {
    /** Notes what the request does, for the audit log; undefined when it is not audited. */
    audit?: AuditScope
  }
}

/** The most characters of the errors in an audit log; stacks are long. */
const longestExceptions = 16_000

/** The audit data of a running request. Ends after the answer, when all work of the request is done. */
export abstract class AuditScope {
  readonly executionTime: Date
  actions: AuditedAction[] = []
  entityChanges: EntityChange[] = []
  errors: ErrorEnvelope['error'][] = []
  /** Changes beyond those that are kept. */
  furtherChanges = 0
  private readonly startedMs = performance.now()
  private running = 0
  private isAnswered = false
  private isOver = false

  constructor(private readonly clock: Clock) {
    this.executionTime = clock.now
  }

  /**
   * Called once, when it is over. What was noted is gone after that: the connection holds its last request,
   * and this with it, for long.
   */
  protected abstract end(): void

  /** Milliseconds since the request came. */
  get elapsedMs(): number {
    return Math.round(performance.now() - this.startedMs)
  }

  /**
   * Notes a call of an operation, with the time it took, however it ends. What it answers is the call's own
   * promise: another one costs.
   */
  act<T>(
    { serviceName, methodName, parameters }: Pick<AuditedAction, 'serviceName' | 'methodName' | 'parameters'>,
    call: () => Promise<T>,
  ): Promise<T> {
    const executionTime = this.clock.now
    const startedMs = performance.now()
    this.running++
    const done = (): void => {
      const executionDuration = Math.round(performance.now() - startedMs)
      this.actions.push({ serviceName, methodName, parameters, executionTime, executionDuration })
      this.running--
      this.check()
    }
    try {
      const called = call()
      called.then(done, done)
      return called
    } catch (error) {
      done()
      throw error
    }
  }

  /** Notes what a unit of work wrote and committed, and how many changes it counted beside. */
  changed(changes: readonly EntityChange[], further = 0): void {
    const room = mostEntityChanges - this.entityChanges.length
    const kept = changes.length > room ? changes.slice(0, room) : changes
    for (const change of kept) this.entityChanges.push(change)
    this.furtherChanges += changes.length - kept.length + further
  }

  /** Records the error of the request, as its caller gets it. */
  failed(error: ErrorEnvelope['error']): void {
    this.errors.push(error)
  }

  /** Says that the answer is out, or that nobody waits for it any more. */
  answered(): void {
    this.isAnswered = true
    this.check()
  }

  /** The fields of the audit log that do not depend on how the work was asked for. */
  protected noted(): Pick<AuditLog, NotedField> {
    const { executionTime, errors, furtherChanges, actions, entityChanges } = this
    return {
      executionTime,
      executionDuration: this.elapsedMs,
      exceptions: errors.length ? exceptionsOf(errors) : undefined,
      comments: furtherChanges ? `${furtherChanges} more entity changes are not told` : undefined,
      actions,
      entityChanges,
    }
  }

  private check(): void {
    if (!this.isAnswered || this.running > 0 || this.isOver) return
    this.isOver = true
    this.end()
    this.actions = []
    this.entityChanges = []
    this.errors = []
  }
}

/** The fields of an audit log that {@link AuditScope} knows by itself. */
export type NotedField =
  | 'executionTime'
  | 'executionDuration'
  | 'exceptions'
  | 'comments'
  | 'actions'
  | 'entityChanges'

/**
 * Errors as ABP keeps them. Secrets in details, mostly stacks, were masked when the details were made.
 */
function exceptionsOf(errors: AuditScope['errors']): string {
  const told = errors.map(({ details, ...error }) => ({
    ...(JSON.parse(maskSecrets(JSON.stringify(error))) as object),
    details,
  }))
  return shortened(JSON.stringify(told), longestExceptions)
}
