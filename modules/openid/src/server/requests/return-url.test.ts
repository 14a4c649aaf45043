import { expect, test } from 'vitest'
import { localPath } from './return-url.js'

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
