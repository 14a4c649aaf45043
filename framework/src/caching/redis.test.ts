import { expect, test } from 'vitest'
import { redisAddress } from './redis.js'

test.each([
  ['127.0.0.1:6379', 'redis://127.0.0.1:6379/0'],
  ['cache', 'redis://cache:6379/0'],
  ['cache:6380,password=a,b=c', 'redis://:a@cache:6380/0'],
  ['cache:6380,password=p@ss/w=rd,ssl=True,abortConnect=false', 'rediss://:p%40ss%2Fw%3Drd@cache:6380/0'],
  ['cache, user=keel, password=x, defaultDatabase=3', 'redis://keel:x@cache:6379/3'],
  ['[::1]:7000', 'redis://[::1]:7000/0'],
  ['rediss://keel:x@cache:6380/2', 'rediss://keel:x@cache:6380/2'],
])('%s is %s', (configuration, url) => {
  expect(redisAddress(configuration)).toBe(url)
})

test.each(['http://cache', 'cache:port', ',password=x'])('%s stops the start', (configuration) => {
  expect(() => redisAddress(configuration)).toThrow('Redis:Configuration is neither')
})
