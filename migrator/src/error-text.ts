import { type Configuration, type Localization, maskSecrets, sourceCulture } from '@keel/framework'
import { BusinessError } from '@keel/framework/contracts'

/** An error for a person: its message and those of its causes that say more, one per line. */
export function messagesOf(error: unknown): string {
  const messages: string[] = []
  for (const message of causesOf(error).map(messageOf)) {
    if (!messages.some((known) => known.includes(message))) messages.push(message)
  }
  return messages.join('\n  caused by: ')
}

/** An error for whoever has to find it: its messages and the innermost stack that we have. */
export function exceptionText(error: unknown): string {
  const stacks = causesOf(error).map((cause) => (cause instanceof Error ? cause.stack : undefined))
  const frames = (stacks.findLast(Boolean) ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  return [messagesOf(error), ...frames].join('\n')
}

function causesOf(error: unknown): unknown[] {
  const causes: unknown[] = []
  for (let cause = error; cause != null && !causes.includes(cause); cause = (cause as Error).cause)
    causes.push(cause)
  return causes
}

/** A refused connection has no message of its own, only those of the addresses that were tried; business errors are known by their code. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError && !error.message) return error.errors.map(messageOf).join('; ')
  if (!(error instanceof Error)) return String(error)
  const { message } = error
  if (!(error instanceof BusinessError)) return message
  const text = message.includes(error.code ?? '') ? message : `${error.code}: ${message}`
  return `${text} ${JSON.stringify(error.data)}`
}

/** The English text of a business error, behind a colon: its code alone does not say what to do. Empty for other errors. */
export function meaningOf(error: unknown, localization: Localization): string {
  if (!(error instanceof BusinessError) || error.code === undefined) return ''
  const text = localization.find(error.code, sourceCulture, error.data ?? {})
  return text === undefined ? '' : `: ${text}`
}

/** Takes out of a text what looks like a secret, and what is one by this configuration: connection strings, tokens, client secrets. */
export function masker(configuration: Configuration): (text: string) => string {
  const secrets = secretsOf(configuration)
  return (text) => maskSecrets(secrets.reduce((masked, secret) => masked.replaceAll(secret, '***'), text))
}

/** Shorter ones would blacken half of every text. */
const fewestLetters = 4

function secretsOf(configuration: Configuration): string[] {
  const connections = Object.values((configuration.tree('ConnectionStrings') ?? {}) as object).map(String)
  const clients = configuration.members('OpenIddict:Applications', 'ClientId')
  const found = [
    ...connections,
    ...connections.flatMap(passwordsOf),
    ...clients.flatMap((client) =>
      Object.entries(client as object).flatMap(([name, value]) =>
        /secret/i.test(name) ? String(value) : [],
      ),
    ),
    configuration.get('PIPELINE_AUTH_TOKEN') ?? '',
  ]
  return found
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
    .filter(({ length }) => length >= fewestLetters)
    .sort((a, b) => b.length - a.length)
}

function passwordsOf(connection: string): string[] {
  const [, inUrl] = /^\w+:\/\/[^/@:]*:(.*)@/.exec(connection) ?? []
  const [, inList] = /(?:password|pwd)\s*=\s*([^;]*)/i.exec(connection) ?? []
  return [inUrl, inUrl && decoded(inUrl), inList].filter((part) => part !== undefined)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
