import type { RedisClientType } from '@redis/client'
import { z } from 'zod'
import type { Application } from '../modularity/application.js'
import { configurationSection } from '../modularity/configuration.js'
import { StartupError } from '../modularity/startup-error.js'

/** The Redis that the copies of a host share, as ABP and the interface document name it. */
export const RedisSettings = configurationSection('Redis', {
  /** Shares rate limits and caches among all copies of a host through Redis. */
  isEnabled: z.boolean().default(false),
  /**
   * `redis://` or `rediss://` address, or as StackExchange.Redis has it:
   * `host:port,password=…,ssl=true,defaultDatabase=1`.
   */
  configuration: z.string().min(1).default('127.0.0.1:6379'),
  /** Begins every key: systems that share a server have different ones. */
  keyPrefix: z.string().max(100).default('Keel:'),
})

const connectMs = 2000
const longestPauseMs = 1000
/** A cache must not be slower than its source: a command without an answer after 5 × 100 ms is given up. */
const looks = 5
const lookEveryMs = 100
const restMs = 1000

/** Redis' library as it is loaded where `Redis:IsEnabled`. */
export type RedisDriver = typeof import('@redis/client')

/** The connection with Redis. A host works without it, too: who uses it has another way while it is away. */
export class Redis {
  /** Undefined when `Redis:IsEnabled` is false. */
  readonly client: RedisClientType | undefined
  readonly keyPrefix: string
  private isLost = false
  private awayUntil = Number.NEGATIVE_INFINITY
  private readonly readyListeners: (() => void)[] = []

  /** @param driver undefined when `Redis:IsEnabled` is false */
  constructor(
    private readonly application: Application,
    driver: RedisDriver | undefined,
  ) {
    const { configuration, keyPrefix } = application.configuration.read(RedisSettings)
    this.keyPrefix = keyPrefix
    if (driver) this.client = this.newClient(driver, redisAddress(configuration))
  }

  /** Why Redis is not used although it should; undefined when it is, or should not be. */
  get problem(): string | undefined {
    return this.client && !this.client.isReady
      ? 'Redis is not reached: each copy of the host counts requests and keeps values for itself until it is back.'
      : undefined
  }

  /** Connects, and goes on trying when that fails; waits for the first answer at most two seconds. */
  async start(): Promise<void> {
    const { client } = this
    if (!client) return
    const connected = client.connect().then(
      () => undefined,
      () => undefined,
    )
    let timer: NodeJS.Timeout | undefined
    await Promise.race([connected, new Promise((resolve) => (timer = setTimeout(resolve, connectMs)))])
    clearTimeout(timer)
  }

  /** False while the server is not asked because it failed or was slow. */
  get isReachable(): boolean {
    return this.client?.isReady === true && performance.now() >= this.awayUntil
  }

  /**
   * Sends a command to Redis. Undefined when Redis is unreachable, fails or is slow; then pauses for a
   * moment.
   */
  async ask<T>(question: (client: RedisClientType) => Promise<T>): Promise<T | undefined> {
    const { client } = this
    if (!client || !this.isReachable) return undefined
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<undefined>((resolve) => {
      let looked = 0
      timer = setTimeout(() => {
        looked += 1
        // While this process was busy itself no answer was read: that counts as one look, however long it
        // took.
        if (looked < looks) timer?.refresh()
        else {
          this.awayUntil = performance.now() + restMs
          resolve(undefined)
        }
      }, lookEveryMs)
    })
    try {
      return await Promise.race([question(client), late])
    } catch (error) {
      this.application.logger.debug({ err: error }, 'Redis did not do what it was asked for')
      return undefined
    } finally {
      clearTimeout(timer)
    }
  }

  /** Calls `listener` whenever the connection is there. */
  onReady(listener: () => void): void {
    this.readyListeners.push(listener)
  }

  stop(): void {
    if (this.client?.isOpen) this.client.destroy()
  }

  private newClient({ createClient }: RedisDriver, url: string): RedisClientType {
    const { logger, name } = this.application
    const client = createClient({
      url,
      name,
      // A request does not wait for a server that is away.
      disableOfflineQueue: true,
      commandsQueueMaxLength: 10_000,
      pingInterval: 10_000,
      socket: {
        connectTimeout: connectMs,
        reconnectStrategy: (retries) => Math.min(50 * 2 ** Math.min(retries, 6), longestPauseMs),
      },
    }) as RedisClientType
    client.on('error', (error: unknown) => {
      if (!this.isLost) logger.warn({ err: error }, 'Redis is not reached, it is tried again')
      this.isLost = true
    })
    client.on('ready', () => {
      if (this.isLost) logger.info({}, 'Redis is back')
      this.isLost = false
      for (const listener of this.readyListeners) listener()
    })
    return client
  }
}

/** The address of a Redis as a URL. Throws a {@link StartupError} for what is none. */
export function redisAddress(configuration: string): string {
  if (/^rediss?:\/\//i.test(configuration)) return configuration
  const [endpoint = '', ...options] = configuration.split(',').map((part) => part.trim())
  const values = new Map(
    options.filter(Boolean).map((option) => {
      const at = option.indexOf('=')
      return [option.slice(0, at).trim().toLowerCase(), option.slice(at + 1).trim()] as const
    }),
  )
  const [, host, port = '6379'] = /^(\[[0-9a-f:]+\]|[^:\s/]+)(?::(\d{1,5}))?$/i.exec(endpoint) ?? []
  if (!host)
    throw new StartupError(
      'Redis:Configuration is neither a redis:// address nor `host:port,password=…,ssl=true,defaultDatabase=1`',
    )
  const user = encodeURIComponent(values.get('user') ?? '')
  const password = values.get('password')
  const credentials = password === undefined ? '' : `${user}:${encodeURIComponent(password)}@`
  const scheme = values.get('ssl')?.toLowerCase() === 'true' ? 'rediss' : 'redis'
  return `${scheme}://${credentials}${host}:${port}/${values.get('defaultdatabase') ?? '0'}`
}
