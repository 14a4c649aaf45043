import { expect, test } from 'vitest'
import { emailAddress, isMailAddress } from './email-address.js'

test.each([
  'ada@example.com',
  "o'brien+port@mail.example.co.uk",
  'jörg@exämple.de',
  '仓库@例子.公司',
  'root@localhost',
  `${'a'.repeat(64)}@${'b'.repeat(189)}`,
])('%s is an e-mail address', (text) => {
  expect([isMailAddress(text), emailAddress.parse(text)]).toEqual([true, text])
})

test.each([
  '',
  'ada',
  '@example.com',
  'ada@',
  'ada@port@example.com',
  '<ada@example.com>',
  'Ada <ada@example.com>',
  '"ada"@example.com',
  'ada@example.com,bob@example.com',
  'ada@example.com;bob',
  'ada(port)@example.com',
  'ada@[127.0.0.1]',
  ' ada@example.com',
  'ada@example.com\r\nBcc: bob@example.com',
  'ada\u2028@example.com',
  'ada\u0000@example.com',
  'ada\u200b@example.com',
  `${'a'.repeat(65)}@example.com`,
  `${'a'.repeat(64)}@${'b'.repeat(190)}`,
])('%j is not an e-mail address', (text) => {
  expect([isMailAddress(text), emailAddress.safeParse(text).success]).toEqual([false, false])
})
