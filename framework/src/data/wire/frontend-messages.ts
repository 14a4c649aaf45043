/** The text format for all columns of the result. */
const asText = 0

/** A value of a parameter as the text that PostgreSQL reads. */
export type TextValue = string | null

/** The texts of parameters; undefined when one of them has no text that stands for it, such as bytes. */
export function textValues(values: readonly unknown[]): readonly TextValue[] | undefined {
  const texts: TextValue[] = []
  for (const value of values) {
    const text = textOf(value)
    if (text === undefined) return undefined
    texts.push(text)
  }
  return texts
}

function textOf(value: unknown): TextValue | undefined {
  if (typeof value === 'string' || value === null) return value
  if (Array.isArray(value)) return arrayText(value)
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}

/** An array of texts as PostgreSQL reads it; undefined for arrays of anything else. */
function arrayText(values: readonly unknown[]): string | undefined {
  if (!values.every((value) => typeof value === 'string')) return undefined
  return `{${values.map((value) => `"${value.replace(/[\\"]/g, '\\$&')}"`).join()}}`
}

const executeBytes = [0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0]
/** Execute without a limit of rows, and the same with Sync, which ends a series of messages. */
const [execute, executeAndSync] = [
  Buffer.from(executeBytes),
  Buffer.from([...executeBytes, 0x53, 0, 0, 0, 4]),
]

/**
 * Bind and Execute of PostgreSQL's protocol for a statement that was parsed under a name; the name of one without is empty. The columns need
 * no description: readers know them.
 * @param isLast adds Sync: PostgreSQL answers this message and those before it, and skips those after one that failed
 */
export function executeMessage(name: string, values: readonly TextValue[], isLast: boolean): Buffer {
  const end = isLast ? executeAndSync : execute
  let size = 1 + 4 + 1 + name.length + 1 + 2 + 2 + 2
  for (const text of values) size += 4 + (text === null ? 0 : Buffer.byteLength(text))
  const message = Buffer.allocUnsafe(size + end.length)
  message[0] = 0x42
  message.writeInt32BE(size - 1, 1)
  message[5] = 0
  let at = 6 + message.write(name, 6, 'latin1')
  message[at] = 0
  at = message.writeInt16BE(0, at + 1)
  at = message.writeInt16BE(values.length, at)
  for (const text of values) {
    const length = text === null ? -1 : message.write(text, at + 4)
    message.writeInt32BE(length, at)
    at += 4 + Math.max(length, 0)
  }
  at = message.writeInt16BE(asText, at)
  end.copy(message, at)
  return message
}

/** Parse of PostgreSQL's protocol: PostgreSQL finds the types of the parameters. */
export function parseMessage(name: string, text: string): Buffer {
  const size = 1 + 4 + name.length + 1 + Buffer.byteLength(text) + 1 + 2
  const message = Buffer.allocUnsafe(size)
  message[0] = 0x50
  message.writeInt32BE(size - 1, 1)
  let at = 5 + message.write(name, 5, 'latin1')
  message[at] = 0
  at += 1 + message.write(text, at + 1)
  message[at] = 0
  message.writeInt16BE(0, at + 1)
  return message
}

/** Close of PostgreSQL's protocol: forgets the statement that was parsed under a name. */
export function closeMessage(name: string): Buffer {
  const size = 1 + 4 + 1 + name.length + 1
  const message = Buffer.allocUnsafe(size)
  message[0] = 0x43
  message.writeInt32BE(size - 1, 1)
  message[5] = 0x53
  message[6 + message.write(name, 6, 'latin1')] = 0
  return message
}
