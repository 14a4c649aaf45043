import type pg from 'pg'
import { executeMessage, parseMessage } from './frontend-messages.js'
import { InternalClient, type QueuedQuery, type RefusalMessage, type Wire, wireOf } from './pg-internals.js'

/** Settings of PostgreSQL by name, for everything that is sent on a connection. */
export type SessionSettings = Readonly<Record<string, string | number>>

/** A client's configuration, and what holds for everything that it sends. */
export interface SessionClientConfig extends pg.ClientConfig {
  readonly session?: SessionSettings
  /**
   * True when a pooler in between knows of prepared statements; without it they are prepared on sessions of
   * our own alone.
   */
  readonly preparesThroughPoolers?: boolean
}

/** The column `start`: when the server was started. It is another time after every restart, restore and failover. */
export const serverStart = 'pg_postmaster_start_time()::text as start'

/**
 * pg's client with settings of its own (`session`), which it never leaves behind on a session that others use too. On a connection straight
 * to PostgreSQL they are the session's, set when they change; through a pooler in transaction mode they travel with each transaction. Either way they go out
 * together with the next statement and cost no round trip. Instants are in UTC either way: poolers keep the time zone apart by client.
 */
export class SessionClient extends InternalClient {
  /**
   * True when the server's session may serve others between our transactions. So it is until the server has
   * shown otherwise.
   */
  private isShared = true
  /** When the server was started that this connection leads to; undefined behind a pooler, and before {@link settle}. */
  serverStart: string | undefined
  private settings: SessionSettings
  /** The settings of the server's session when it is ours; they become {@link settings} with the next statement. */
  private applied: SessionSettings = {}
  private readonly preparesThroughPoolers: boolean
  private hasLimit = true
  /** Answers to our own settings that are still to come before those to the query at hand. */
  private parsesToSkip = 0
  private commandsToSkip = 0
  private readiesToSkip = 0
  /** True when a transaction begins with the next statement. */
  private beginsWithNext = false
  private readonly sendText: (text: string) => void
  /** How far the text at hand was moved by our own. */
  private movedBy = 0

  constructor(config?: string | SessionClientConfig) {
    super(config)
    const { session = {}, preparesThroughPoolers = false } = typeof config === 'object' ? config : {}
    this.settings = session
    this.preparesThroughPoolers = preparesThroughPoolers
    const { wire } = this
    this.sendText = wire.query.bind(wire)
    wire.query = (text) => this.sendText(this.textWithSettings(text))
  }

  /**
   * True when the server's session is this connection's alone, so that state may be left on it; known after
   * {@link settle}.
   */
  get ownsSession(): boolean {
    return !this.isShared
  }

  /**
   * Finds out whose session it is, and sets it up when it is ours: one round trip, once after connecting. PostgreSQL tells a client the id of
   * the process that serves it; a pooler tells an invented one, because that process changes.
   */
  async settle(): Promise<void> {
    const { rows } = await this.query<{ start: string }>(
      `select ${[serverStart, ...assignments(this.settings, false)].join(', ')} where pg_backend_pid() = ${Number(this.processID)}`,
    )
    this.isShared = rows.length !== 1
    this.applied = this.settings
    this.serverStart = rows[0]?.start
  }

  /** Changes the settings of the transactions that begin from now on. */
  changeSettings(settings: SessionSettings): void {
    this.settings = settings
  }

  /** Runs `work`, outside of a transaction, without the limit on how long a statement may take. Statements that allow no transaction around them work in there too. */
  async withoutStatementTimeout<T>(work: () => Promise<T>): Promise<T> {
    const { settings } = this
    this.settings = { ...settings, statement_timeout: 0 }
    this.hasLimit = false
    try {
      return await work()
    } finally {
      this.settings = settings
      this.hasLimit = true
    }
  }

  /**
   * Begins a transaction together with the next statement, which saves a round trip. False on a session that may serve others: its
   * transactions are begun by a statement of their own.
   */
  beginWithNext(): boolean {
    this.beginsWithNext = !this.isShared
    return this.beginsWithNext
  }

  override getStartupConf(): Record<string, string> {
    return { ...super.getStartupConf(), TimeZone: 'UTC' }
  }

  override _pulseQueryQueue(): void {
    const next = this.readyForQuery ? this._queryQueue[0] : undefined
    if (next && this.isShared && !this.preparesThroughPoolers) dropNames(next)
    if (!next || !(this.beginsWithNext || this.needsSettings(next))) return void super._pulseQueryQueue()
    const { stream } = this.wire
    stream.cork()
    const wanted = this.settingsOf(next)
    if (this.isShared) this.sendSettings(wanted)
    else this.applySettings(wanted)
    if (this.beginsWithNext) this.sendBegin(next)
    super._pulseQueryQueue()
    stream.uncork()
  }

  override _handleParseComplete(): void {
    const active = this._getActiveQuery()
    if (this.parsesToSkip) this.parsesToSkip -= 1
    else if (active?.handleParseComplete) active.handleParseComplete(this.wire)
    else super._handleParseComplete()
  }

  override _handleCommandComplete(message: unknown): void {
    if (this.commandsToSkip) this.commandsToSkip -= 1
    else super._handleCommandComplete(message)
  }

  override _handleReadyForQuery(message: unknown): void {
    if (this.readiesToSkip) {
      this.readiesToSkip -= 1
      return
    }
    this.parsesToSkip = 0
    this.commandsToSkip = 0
    this.movedBy = 0
    super._handleReadyForQuery(message)
  }

  override _handleErrorMessage(message: RefusalMessage): void {
    if (this.movedBy && message.position) message.position = String(Number(message.position) - this.movedBy)
    // The error that callers get: its text, which pg leaves out, is for the log.
    message.statement = this._getActiveQuery()?.text
    super._handleErrorMessage(message)
  }

  private get wire(): Wire {
    return wireOf(this)
  }

  /**
   * True when a message of settings goes out before a query; through a pooler, texts have them in their own.
   */
  private needsSettings(next: QueuedQuery): boolean {
    if (this.getTransactionStatus() !== 'I') return false
    return this.isShared ? next.requiresPreparation?.() === true : this.applied !== this.settingsOf(next)
  }

  /** The settings that hold for a query. A transaction that it begins goes on with other statements, whose plans are their own matter. */
  private settingsOf({ name, keepsPlan }: QueuedQuery): SessionSettings {
    if (!name || !keepsPlan || this.beginsWithNext) return this.settings
    let settings = keepingPlans.get(this.settings)
    if (!settings) {
      settings = { ...this.settings, plan_cache_mode: 'force_generic_plan' }
      keepingPlans.set(this.settings, settings)
    }
    return settings
  }

  /** Changes the session's settings by a message of its own, whose answer is skipped. */
  private applySettings(settings: SessionSettings): void {
    const { applied } = this
    if (applied === settings) return
    const resets = Object.keys(applied).filter((name) => !(name in settings))
    const changes = Object.entries(settings).filter(([name, value]) => applied[name] !== value)
    const statements = [
      ...resets.map((name) => `reset ${name}`),
      ...changes.map(([name, value]) => `set ${name} = '${value}'`),
    ]
    this.applied = settings
    if (!statements.length) return
    this.sendText(statements.join(';'))
    this.commandsToSkip += statements.length
    this.readiesToSkip += 1
  }

  /** Begins a transaction by messages whose answer is skipped: before a statement with parameters they end with its `sync`. */
  private sendBegin(next: QueuedQuery): void {
    this.beginsWithNext = false
    this.commandsToSkip += 1
    if (next.requiresPreparation?.()) {
      this.wire.stream.write(beginMessages)
      this.parsesToSkip += 1
      return
    }
    this.sendText('begin')
    this.readiesToSkip += 1
  }

  /** Before a statement with parameters: until its `sync` both are one transaction. */
  private sendSettings(settings: SessionSettings): void {
    const all = assignments(settings, true)
    if (all.length === 0 || !this.hasLimit) return
    const { wire } = this
    // No row has no columns to be told of: `set_config` never answers null.
    wire.parse({ text: `select where ${all.join(' || ')} is null` })
    wire.bind({})
    wire.execute({})
    this.parsesToSkip += 1
    this.commandsToSkip += 1
  }

  /** Before other texts: statements that are sent together are a transaction, which a `begin` among them keeps open. */
  private textWithSettings(text: string): string {
    const opensTransaction = this.isShared && this.getTransactionStatus() === 'I'
    if (!opensTransaction || (!this.hasLimit && !beginning.test(text))) return text
    const settings = Object.entries(this.settings).map(
      ([name, value]) => `set local ${inTransaction(name)} = '${value}';`,
    )
    const before = settings.join('')
    this.commandsToSkip += settings.length
    this.movedBy = before.length
    return before + text
  }
}

/** Settings of connections, and the same for statements whose plan is kept. */
const keepingPlans = new WeakMap<SessionSettings, SessionSettings>()

const beginMessages = Buffer.concat([parseMessage('', 'begin'), executeMessage('', [], false)])

function dropNames(query: QueuedQuery): void {
  if (query.withoutNames) query.withoutNames()
  else query.name = undefined
}

const beginning = /^\s*(begin|start transaction)\b/i

function assignments(settings: SessionSettings, isLocal: boolean): string[] {
  return Object.entries(settings).map(
    ([name, value]) => `set_config('${isLocal ? inTransaction(name) : name}', '${value}', ${isLocal})`,
  )
}

/** The setting of the transaction at hand that a default of the session stands for. */
function inTransaction(name: string): string {
  return name === 'default_transaction_read_only' ? 'transaction_read_only' : name
}
