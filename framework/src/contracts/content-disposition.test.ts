import { expect, test } from 'vitest'
import { attachment, fileNameOf } from './content-disposition.js'

test.each([
  ['plan.pdf', 'attachment; filename="plan.pdf"'],
  ['my plan.pdf', 'attachment; filename="my plan.pdf"'],
  ['naïve.pdf', `attachment; filename="na_ve.pdf"; filename*=UTF-8''na%C3%AFve.pdf`],
  ['a"b\\c.pdf', `attachment; filename="a_b_c.pdf"; filename*=UTF-8''a%22b%5Cc.pdf`],
  ['100%.pdf', `attachment; filename="100_.pdf"; filename*=UTF-8''100%25.pdf`],
  [`it's (1)*é`, `attachment; filename="it's (1)*_"; filename*=UTF-8''it%27s%20%281%29%2A%C3%A9`],
  ['a\r\nb', `attachment; filename="a__b"; filename*=UTF-8''a%0D%0Ab`],
  ['😀.png', `attachment; filename="__.png"; filename*=UTF-8''%F0%9F%98%80.png`],
])('the header of %j gives the name back', (name, header) => {
  expect([attachment(name), fileNameOf(header)]).toEqual([header, name])
})

test('half of a surrogate pair becomes the replacement character', () => {
  expect(fileNameOf(attachment('a\ud83d.png'))).toBe('a\ufffd.png')
})

test.each([
  [null, undefined],
  ['', undefined],
  ['attachment', undefined],
  ['attachment; filename=bare.txt; size=1', 'bare.txt'],
  ['attachment; filename="say \\"hi\\".txt"', 'say "hi".txt'],
  [`attachment; filename="a.txt"; filename*=UTF-8''%E0%A4%A`, 'a.txt'],
  [`inline; FILENAME*=utf-8'en'b.txt`, 'b.txt'],
])('%j names %j', (header, name) => {
  expect(fileNameOf(header)).toBe(name)
})
