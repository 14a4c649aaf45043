import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { NodemailerError, SendMailOptions } from 'nodemailer'
import { BusinessError, UnavailableError } from '../contracts/index.js'
import type { Logger } from '../modularity/logging.js'
import { type OutwardAddresses, pinnedTo } from '../security/outward-addresses.js'
import type { MailServer } from './mail-settings.js'
import { mailRefused } from './mailer.js'

/** Waiting for one step of the conversation, and for all of it; longer for attachments, which servers read slowly and look through. */
const stepMs = 10_000
const wholeMs = 30_000
const stepMsOfMegabyte = 1000
const wholeMsOfMegabyte = 10_000

/** Steps at which a server answers about encryption, a login or a message; before them it may be no mail server at all. */
const stepsOfMail = /^(STARTTLS|AUTH|MAIL|RCPT|DATA)/
/** Faults without an answer that trying again does not mend. */
const finalFaults = ['EAUTH', 'ENOAUTH', 'EENVELOPE', 'ECONFIG']

/**
 * Hands messages to SMTP servers. A connection for each: account mail is rare, and settings may change between two. Administrators choose the
 * server, so errors tell what it answers to a message and nothing else; whether a port is closed, silent or something else is in the log alone.
 */
export class SmtpDelivery {
  constructor(
    private readonly addresses: OutwardAddresses,
    private readonly logger: Logger,
  ) {}

  /** @param bytes of attachments */
  async deliver(
    server: MailServer,
    message: SendMailOptions,
    { bytes = 0, signal }: { bytes?: number; signal?: AbortSignal | undefined } = {},
  ): Promise<void> {
    const megabytes = bytes / 1_000_000
    const late = AbortSignal.timeout(wholeMs + Math.ceil(megabytes * wholeMsOfMegabyte))
    const ends = signal ? AbortSignal.any([late, signal]) : late
    let connection: Socket | undefined
    try {
      connection = await this.connect(server, AbortSignal.any([ends, AbortSignal.timeout(stepMs)]))
      const silentMs = stepMs + Math.ceil(megabytes * stepMsOfMegabyte)
      const conversation = converse(server, connection, message, silentMs)
      const rejected = await Promise.race([conversation, failureOf(ends)])
      if (rejected.length) this.logger.warn({ rejected }, 'the mail server refused some recipients')
    } catch (error) {
      throw this.explained(error as NodemailerError, server)
    } finally {
      connection?.destroy()
    }
  }

  private async connect({ host, port }: MailServer, signal: AbortSignal): Promise<Socket> {
    const lookup = pinnedTo(await this.addresses.resolve({ host, port }, signal))
    const socket = connect({ host, port, lookup })
    try {
      await once(socket, 'connect', { signal })
      return socket
    } catch (error) {
      socket.destroy()
      throw error
    }
  }

  /** Servers say 5xx when trying again is in vain; what says nothing like it may work later. */
  private explained(error: NodemailerError, { host, port }: MailServer): Error {
    this.logger.warn({ err: error, host, port }, 'the mail server did not take a message')
    const isAnswer = stepsOfMail.test(error.command ?? '') && error.response !== undefined
    const isFinal = isAnswer ? error.permanent : finalFaults.includes(error.code ?? '')
    if (isFinal) return new BusinessError(mailRefused, { reason: (isAnswer && error.response) || error.code })
    return new UnavailableError(`The mail server ${host}:${port} does not take mail`, 60, {
      text: { key: 'Keel:MailServerUnavailable', data: { host, port } },
    })
  }
}

/** Answers the recipients whom the server refused. Throws when it refused all. */
async function converse(
  server: MailServer,
  connection: Socket,
  message: SendMailOptions,
  silentMs: number,
): Promise<readonly unknown[]> {
  const { host, port, demandsEncryption, credentials } = server
  const isTlsPort = demandsEncryption && port === 465
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({
    connection,
    // The name that a certificate is checked against.
    host,
    port,
    secure: isTlsPort,
    requireTLS: demandsEncryption && !isTlsPort,
    ...(credentials && { auth: credentials }),
    connectionTimeout: stepMs,
    greetingTimeout: stepMs,
    socketTimeout: silentMs,
  })
  try {
    return (await transport.sendMail(message)).rejected ?? []
  } finally {
    transport.close()
  }
}

async function failureOf(signal: AbortSignal): Promise<never> {
  await once(signal, 'abort')
  throw signal.reason
}
