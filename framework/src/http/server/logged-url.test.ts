import { expect, test } from 'vitest'
import { loggedUrl } from './logged-url.js'

test.each([
  ['/api/hub/port', '/api/hub/port'],
  ['/api/hub/port?skipCount=1', '/api/hub/port?skipCount=1'],
  ['/api/hub/port?apiKey=keel_1', '/api/hub/port?apiKey=***'],
  ['/api/hub/port?a=1&api_key=keel_1&b=2', '/api/hub/port?a=1&api_key=***&b=2'],
  ['/api/hub/port?APIKEY=a=b', '/api/hub/port?APIKEY=***'],
  ['/api/hub/port?api%5Fkey=keel_1', '/api/hub/port?api%5Fkey=***'],
  ['/api/hub/port?%61piKey=keel_1&x=%', '/api/hub/port?%61piKey=***&x=%'],
  ['/api/hub/port?%=1&apiKey', '/api/hub/port?%=1&apiKey'],
])('%s is logged as %s', (url, logged) => {
  expect(loggedUrl(url)).toBe(logged)
})
