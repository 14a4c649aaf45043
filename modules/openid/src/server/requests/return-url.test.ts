import { expect, test } from 'vitest'
import { localPath, withoutPrompt } from './return-url.js'

test.each([
  ['/Account/Manage?x=1', '/Account/Manage?x=1'],
  [undefined, '/'],
  ['', '/'],
  ['https://evil.example/', '/'],
  ['//evil.example/', '/'],
  ['/\\evil.example/', '/'],
  ['/\t/evil.example/', '/'],
  ['javascript:alert(1)', '/'],
])('after signing in, %s leads to %s', (asked, path) => {
  expect(localPath(asked)).toBe(path)
})

test.each([
  ['prompt=login+consent&max_age=0', 'prompt=consent&max_age=60'],
  ['prompt=login&max_age=3600', 'max_age=3600'],
  ['prompt=login', 'max_age=60'],
  ['prompt=select_account', ''],
  ['client_id=web', 'client_id=web'],
])('after a sign-in, a request with %s goes on with %s', (asked, left) => {
  expect(withoutPrompt(`/connect/authorize?${asked}`)).toBe(`/connect/authorize?${left}`)
})
