import { setTimeout as delay } from 'node:timers/promises'
import type { Connection, Consumer, Publisher } from 'rabbitmq-client'
import { z } from 'zod'
import type { Database } from '../data/connections/database.js'
import { inTransaction } from '../data/wire/session.js'
import type { Application } from '../modularity/application.js'
import { type Configuration, configurationSection } from '../modularity/configuration.js'
import type { EventConsumers } from './event-consumers.js'
import { type EventMessage, EventTransport, putIntoInbox } from './event-transport.js'

/** ABP's settings of RabbitMQ. It is used when it has a host. */
export const RabbitMqSettings = configurationSection('RabbitMQ', {
  connections: z
    .object({
      default: z
        .object({
          /** A host name, or `amqp://` and `amqps://` addresses. */
          hostName: z.string().optional(),
          /** The port; that of the protocol when not set. */
          port: z.int().min(1).max(65_535).optional(),
          /** The user of the broker. */
          userName: z.string().default('guest'),
          /** The password of the user. */
          password: z.string().default('guest'),
          /** The virtual host of the broker. */
          virtualHost: z.string().default('/'),
        })
        .optional(),
    })
    .optional(),
  eventBus: z
    .object({
      /** The name of the queue: hosts with the same name share it. The host's own name when not set. */
      clientName: z.string().min(1).max(200).optional(),
      /** The exchange that events are published to. */
      exchangeName: z.string().min(1).max(200).default('Keel.Events'),
    })
    .optional(),
})

/** The used part of the library that is loaded where events travel through RabbitMQ. */
export type RabbitMqDriver = Pick<typeof import('rabbitmq-client'), 'Connection' | 'ConsumerStatus'>

/** True when events travel through RabbitMQ. */
export function usesRabbitMq(configuration: Configuration): boolean {
  return Boolean(configuration.read(RabbitMqSettings).connections?.default?.hostName)
}

const acquireMs = 5000
/** How long a message waits before it is taken again when the database does not take it. */
const requeueAfterMs = 1000
const correlationHeader = 'X-Correlation-Id'
const keyHeader = 'X-Keel-Key'
const timeHeader = 'X-Keel-Time'

/**
 * The transport of a system of several services, as ABP's: a direct exchange, the event's name as routing
 * key, a durable queue for each host. What is sent was confirmed by the broker; what was received is
 * acknowledged once it is in the inboxes.
 */
export class RabbitMqTransport implements EventTransport {
  private readonly settings
  private connection: Connection | undefined
  private publisher: Publisher | undefined
  private consumer: Consumer | undefined
  private isConnected = false

  constructor(
    private readonly application: Application,
    private readonly consumers: EventConsumers,
    private readonly driver: RabbitMqDriver,
  ) {
    this.settings = application.configuration.read(RabbitMqSettings)
  }

  get problem(): string | undefined {
    return this.isConnected
      ? undefined
      : 'RabbitMQ is not reached: events wait in the database until it is back.'
  }

  async start(): Promise<void> {
    const { logger, name } = this.application
    const connection = new this.driver.Connection({
      ...this.address(),
      connectionName: name,
      acquireTimeout: acquireMs,
      connectionTimeout: acquireMs,
      heartbeat: 20,
      retryLow: 250,
      retryHigh: 5000,
    })
    this.connection = connection
    connection.on('connection', () => {
      this.isConnected = true
      logger.info({}, 'connected with RabbitMQ')
    })
    const lost = (error: unknown): void => {
      if (this.isConnected) logger.warn({ err: error }, 'RabbitMQ is lost, it is tried again')
      this.isConnected = false
    }
    connection.on('error', lost)
    connection.on('connection.blocked', (reason) => logger.warn({ reason }, 'RabbitMQ takes nothing for now'))
    const { exchange } = this
    this.publisher = connection.createPublisher({
      confirm: true,
      exchanges: [{ exchange, type: 'direct', durable: true }],
    })
    this.receive(connection)
  }

  async send(_source: Database, _session: unknown, messages: readonly EventMessage[]): Promise<void> {
    const { publisher, exchange } = this
    if (!publisher || !this.isConnected) throw new Error('RabbitMQ is not connected')
    // All on one channel: their order stays, and the broker confirms them together.
    await Promise.all(
      messages.map(({ id, eventName, data, creationTime, correlationId, key, trace }) =>
        publisher.send(
          {
            exchange,
            routingKey: eventName,
            durable: true,
            messageId: id.replaceAll('-', ''),
            contentType: 'application/json',
            // With it the client hands the bytes on as they are.
            contentEncoding: 'utf-8',
            ...(correlationId !== undefined && { correlationId }),
            headers: {
              [timeHeader]: creationTime,
              ...(correlationId !== undefined && { [correlationHeader]: correlationId }),
              ...(key !== undefined && { [keyHeader]: key }),
              ...(trace?.traceparent && { traceparent: trace.traceparent }),
              ...(trace?.tracestate && { tracestate: trace.tracestate }),
            },
          },
          data,
        ),
      ),
    )
  }

  async stop(): Promise<void> {
    await this.consumer?.close()
    await this.publisher?.close()
    await this.connection?.close()
  }

  private get exchange(): string {
    return this.settings.eventBus?.exchangeName ?? 'Keel.Events'
  }

  private address(): object {
    const { hostName = '', port, userName, password, virtualHost } = this.settings.connections?.default ?? {}
    if (/^amqps?:/.test(hostName)) return { url: hostName }
    return { hostname: hostName, port: port ?? 5672, username: userName, password, vhost: virtualHost }
  }

  private receive(connection: Connection): void {
    const events = [...new Set(this.consumers.all.map(({ event }) => event.eventName))]
    if (events.length === 0) return
    const { exchange } = this
    const { ConsumerStatus } = this.driver
    const queue = this.settings.eventBus?.clientName ?? this.application.name
    this.consumer = connection.createConsumer(
      {
        queue,
        // One process of a host takes in at a time, so that nothing overtakes; all of them handle what is in
        // the inboxes.
        queueOptions: { durable: true, arguments: { 'x-single-active-consumer': true } },
        exchanges: [{ exchange, type: 'direct', durable: true }],
        queueBindings: events.map((routingKey) => ({ exchange, queue, routingKey })),
        qos: { prefetchCount: 100 },
        concurrency: 1,
      },
      async ({ messageId, routingKey, body, correlationId, headers }) => {
        const data = Buffer.isBuffer(body)
          ? body
          : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
        if (!messageId) {
          this.application.logger.error(
            { event: routingKey },
            'an event without messageId was dropped: it could not be known again',
          )
          return ConsumerStatus.DROP
        }
        const told = (name: string): string | undefined =>
          typeof headers?.[name] === 'string' ? headers[name] : undefined
        const traceparent = told('traceparent')
        await this.takeIn({
          id: plainId(messageId),
          eventName: routingKey,
          data,
          creationTime: told(timeHeader) ?? new Date().toISOString().replace('Z', ''),
          correlationId: told(correlationHeader) ?? correlationId,
          key: told(keyHeader)?.slice(0, 128),
          ...(traceparent && { trace: { traceparent, tracestate: told('tracestate') } }),
        }).catch(async (error: unknown) => {
          await delay(requeueAfterMs)
          throw error
        })
        return ConsumerStatus.ACK
      },
    )
    this.consumer.on('error', (error: unknown) =>
      this.application.logger.warn(
        { err: error },
        'an event was not taken in from RabbitMQ, it is tried again',
      ),
    )
  }

  private async takeIn(message: EventMessage): Promise<void> {
    const consumers = this.consumers.of(message.eventName)
    for (const database of new Set(consumers.map((consumer) => consumer.database))) {
      const deliveries = consumers
        .filter((consumer) => consumer.database === database)
        .map(({ name }) => ({ message, consumer: name }))
      await database.withConnection((session) =>
        inTransaction(session, () => putIntoInbox(session, deliveries)),
      )
    }
  }
}

/** ABP writes GUIDs without hyphens; other ids are taken as they are. */
function plainId(messageId: string): string {
  return messageId
    .replace(/^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/i, '$1-$2-$3-$4-$5')
    .slice(0, 64)
}
