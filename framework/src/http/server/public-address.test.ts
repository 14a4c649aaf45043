import { expect, test } from 'vitest'
import { strictTransport } from '../../modularity/local-address.js'
import { linkBase } from './public-address.js'

test.each([
  ['https://api.example.com', 'evil.example', 'https://api.example.com'],
  ['https://api.example.com/keel/', 'evil.example', 'https://api.example.com/keel'],
  ['https://api.example.com', 'localhost:4000', 'https://api.example.com'],
  ['http://localhost:4000', 'localhost:4000', 'http://localhost:4000'],
  ['http://localhost:4000', '127.0.0.1:51234', 'http://127.0.0.1:51234'],
  ['http://localhost:4000', '[::1]:4000', 'http://[::1]:4000'],
  ['http://127.0.0.1:4000/keel', 'LOCALHOST:4000', 'http://localhost:4000/keel'],
  ['http://localhost:4000', 'evil.example', 'http://localhost:4000'],
  ['http://localhost:4000', 'localhost.evil.example', 'http://localhost:4000'],
  ['http://localhost:4000', 'localhost:4000@evil.example', 'http://localhost:4000'],
  ['http://localhost:4000', undefined, 'http://localhost:4000'],
])('links of %s begin, for a caller of %s, with %s', (selfUrl, host, base) => {
  expect(linkBase(selfUrl, { headers: { host } })).toBe(base)
})

test.each([
  ['https://api.example.com', 60, 'max-age=60'],
  ['https://api.example.com', 0, undefined],
  ['http://api.example.com', 60, undefined],
  ['https://localhost:4000', 60, undefined],
  ['https://127.0.0.1', 60, undefined],
])('browsers of %s with an age of %i are told %s', (address, age, value) => {
  expect(strictTransport(address, age)).toBe(value)
})
