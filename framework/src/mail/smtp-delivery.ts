import { setTimeout as delay } from 'node:timers/promises'
import type { NodemailerError, SendMailOptions } from 'nodemailer'
import { BusinessError, UnavailableError } from '../contracts/index.js'
import type { MailServer } from './mail-settings.js'
import { mailRefused } from './mailer.js'

/** Waiting for one step of the conversation, and for all of it. */
const stepMs = 10_000
const wholeMs = 30_000

/** Hands a message to an SMTP server. A connection for each: account mail is rare, and settings may change between two. */
export async function deliverBySmtp(server: MailServer, message: SendMailOptions): Promise<void> {
  const { host, port, demandsEncryption, credentials } = server
  const isTlsPort = demandsEncryption && port === 465
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({
    host,
    port,
    secure: isTlsPort,
    requireTLS: demandsEncryption && !isTlsPort,
    ...(credentials && { auth: credentials }),
    connectionTimeout: stepMs,
    greetingTimeout: stepMs,
    socketTimeout: stepMs,
    dnsTimeout: stepMs,
  })
  const ended = new AbortController()
  try {
    await Promise.race([transport.sendMail(message), tooLate(ended.signal)])
  } catch (error) {
    throw explained(error as NodemailerError, host, port)
  } finally {
    ended.abort()
    transport.close()
  }
}

async function tooLate(signal: AbortSignal): Promise<never> {
  await delay(wholeMs, undefined, { signal, ref: false })
  throw Object.assign(new Error('the conversation took too long'), { code: 'ETIMEDOUT' })
}

/** Servers say 5xx when trying again is in vain; what says nothing like it may work later. */
function explained(error: NodemailerError, host: string, port: number): Error {
  const isFinal = error.permanent ?? ['EAUTH', 'ENOAUTH', 'EENVELOPE', 'ECONFIG'].includes(error.code ?? '')
  if (isFinal)
    return new BusinessError(mailRefused, { reason: error.response ?? error.message }, { cause: error })
  return new UnavailableError(`The mail server ${host}:${port} does not take mail: ${error.message}`, 60, {
    cause: error,
    text: { key: 'Keel:MailServerUnavailable', data: { host, port } },
  })
}
