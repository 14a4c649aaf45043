import { expect, test } from 'vitest'
import { type ByteRow, bytesText, RowMessages } from './byte-rows.js'

const message = (code: string, ...parts: Buffer[]): Buffer => {
  const content = Buffer.concat(parts)
  const head = Buffer.alloc(5)
  head.write(code, 'latin1')
  head.writeUInt32BE(content.length + 4, 1)
  return Buffer.concat([head, content])
}
const column = (text: string | null): Buffer => {
  const bytes = Buffer.from(text ?? '')
  const length = Buffer.alloc(4)
  length.writeInt32BE(text === null ? -1 : bytes.length)
  return Buffer.concat([length, bytes])
}
const row = (...columns: (string | null)[]): Buffer =>
  message('D', Buffer.from([0, columns.length]), ...columns.map(column))

const sent = Buffer.concat([
  message('2'),
  row('{"Name":"Übersee"}', null, ''),
  row(),
  message('C', Buffer.from('SELECT 2\0')),
  row('1'),
  message('Z', Buffer.from('I')),
])
const others = Buffer.concat([
  message('2'),
  message('C', Buffer.from('SELECT 2\0')),
  message('Z', Buffer.from('I')),
])

function read(pieces: readonly Buffer[], isWanted = () => true) {
  const rows: ByteRow[] = []
  const passed: Buffer[] = []
  const messages = new RowMessages({
    isWanted,
    row: (fields) => rows.push(fields),
    other: (bytes) => passed.push(bytes),
  })
  for (const piece of pieces) messages.take(piece)
  const texts = rows.map((fields) => fields.map((field) => field && bytesText(field)))
  return { rows: texts, passed: Buffer.concat(passed).toString('latin1') }
}

const expected = { rows: [['{"Name":"Übersee"}', null, ''], [], ['1']], passed: others.toString('latin1') }

test('rows are found wherever the stream is cut', () => {
  for (let at = 0; at <= sent.length; at++)
    expect(read([sent.subarray(0, at), sent.subarray(at)]), `cut at ${at}`).toEqual(expected)
  expect(read([...sent].map((byte) => Buffer.from([byte])))).toEqual(expected)
})

test('rows that nobody wants as bytes are left to the reader of other messages', () => {
  for (let at = 0; at <= sent.length; at++)
    expect(read([sent.subarray(0, at), sent.subarray(at)], () => false)).toEqual({
      rows: [],
      passed: sent.toString('latin1'),
    })
})
