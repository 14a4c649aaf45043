import { expect, test } from 'vitest'
import { mediaTypeOf } from './document-format.js'

const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1')
const zip = 'PK\x03\x04'

test.each([
  ['a.pdf', '%PDF-1.7\n', 'application/pdf'],
  ['a.PDF', '\r\n%PDF-1.4', 'application/pdf'],
  ['a.png', '\x89PNG\r\n\x1a\n', 'image/png'],
  ['a.jpg', '\xff\xd8\xff\xe0', 'image/jpeg'],
  ['a.b.jpeg', '\xff\xd8\xff\xe1', 'image/jpeg'],
  ['a.tif', 'II*\0', 'image/tiff'],
  ['a.tiff', 'MM\0*', 'image/tiff'],
  ['a.zip', zip, 'application/zip'],
  ['a.zip', 'PK\x05\x06', 'application/zip'],
  ['a.docx', zip, 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['a.xlsx', zip, 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['a.csv', 'Größe;1\r\n', 'text/csv'],
  ['a.csv', '\xff\xfea\0;\0b\0', 'text/csv'],
  ['a.xml', '\xef\xbb\xbf<?xml version="1.0"?>', 'application/xml'],
  ['a.json', ' {"a":1}', 'application/json'],
  ['a.json', '-1', 'application/json'],
  ['a.eml', 'Received: from a\r\n', 'message/rfc822'],
  ['a.eml', 'From a@b Sat Nov 21\nSubject: x', 'message/rfc822'],
])('%s that begins with %j is %s', (name, head, type) => {
  expect(mediaTypeOf(name, bytes(head))).toBe(type)
})

test.each([
  ['a.exe', 'MZ\x90\0'],
  ['a', '%PDF-1.7'],
  ['a.pdf.exe', '%PDF-1.7'],
  ['.pdf ', '%PDF-1.7'],
  ['a.constructor', 'x'],
  ['a.html', '<html>'],
  ['a.svg', '<svg>'],
  ['a.pdf', 'MZ\x90\0'],
  ['a.png', '%PDF-1.7'],
  ['a.jpg', '<html>'],
  ['a.tif', 'II'],
  ['a.docx', '\xd0\xcf\x11\xe0'],
  ['a.csv', 'a;b\0c'],
  ['a.csv', zip],
  ['a.xml', '{}'],
  ['a.json', '<a/>'],
  ['a.eml', 'no header here'],
  ['a.pdf', ''],
])('%s that begins with %j is not allowed', (name, head) => {
  expect(mediaTypeOf(name, bytes(head))).toBeUndefined()
})
