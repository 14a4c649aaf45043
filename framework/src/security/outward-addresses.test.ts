import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isIP } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Configuration } from '../modularity/configuration.js'
import { InternalAddressError, isInternal, OutwardAddresses, OutwardSettings } from './outward-addresses.js'
import { outwardFetch } from './outward-fetch.js'

const familyOf = (address: string): number => isIP(address.replace(/%.*/, ''))

test.each([
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.0.9',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.192',
  '192.168.1.1',
  '198.18.0.1',
  '224.0.0.1',
  '239.255.255.250',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '::7f00:1',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  '2001:0:7f00:1::',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fe80::1%lo',
  'fec0::1',
  'ff02::1',
])('%s is inside the network', (address) => {
  expect(isInternal({ address, family: familyOf(address) })).toBe(true)
})

test.each([
  '1.1.1.1',
  '8.8.8.8',
  '100.63.255.255',
  '100.128.0.1',
  '172.32.0.1',
  '192.169.0.1',
  '2606:4700::1111',
  '2001:4860:4860::8888',
])('%s is outside', (address) => {
  expect(isInternal({ address, family: familyOf(address) })).toBe(false)
})

describe('outside Development', () => {
  test.each([
    '127.0.0.1',
    'localhost',
    'LOCALHOST',
    '2130706433',
    '0x7f.1',
    '127.1',
    '0',
    '[::1]',
    '::ffff:10.0.0.1',
  ])('%s is refused however it is written', async (host) => {
    await expect(resolve(host, 25)).rejects.toBeInstanceOf(InternalAddressError)
  })

  test('an address of the internet is answered', async () => {
    expect(await resolve('8.8.8.8', 25)).toEqual([{ address: '8.8.8.8', family: 4 }])
  })

  test('what is allowed is exactly that host and port', async () => {
    const allowed = 'localhost:2525, [::1]:587'
    expect(await resolve('localhost', 2525, allowed)).not.toEqual([])
    expect(await resolve('[::1]', 587, allowed)).toEqual([{ address: '::1', family: 6 }])
    for (const [host, port] of [
      ['localhost', 2526],
      ['127.0.0.1', 2525],
      ['::1', 2525],
    ] as const)
      await expect(resolve(host, port, allowed)).rejects.toBeInstanceOf(InternalAddressError)
  })

  test('a range that is allowed counts at every port and for no other address', async () => {
    const allowed = '10.1.0.0/16,fd00::/8'
    expect(await resolve('10.1.2.3', 99, allowed)).toEqual([{ address: '10.1.2.3', family: 4 }])
    expect(await resolve('fd00::7', 99, allowed)).toEqual([{ address: 'fd00::7', family: 6 }])
    for (const host of ['10.2.0.1', '::1', '169.254.169.254'])
      await expect(resolve(host, 99, allowed)).rejects.toBeInstanceOf(InternalAddressError)
  })
})

test('Development refuses no address', async () => {
  const addresses = new OutwardAddresses(new Configuration('Development'))
  const signal = AbortSignal.timeout(5000)
  expect(await addresses.resolve({ host: '127.0.0.1', port: 1 }, signal)).toEqual([
    { address: '127.0.0.1', family: 4 },
  ])
})

test.each(['10.0.0.0/33', 'localhost', '10.0.0.1', 'https://localhost:1', 'a b:25', '1:2:3'])(
  'the allowed address %s stops the start',
  (text) => {
    const configuration = new Configuration('Production').add(
      { 'App:AllowedInternalAddresses': text },
      'test',
    )
    expect(() => configuration.read(OutwardSettings)).toThrow('App:allowedInternalAddresses')
  },
)

describe('a request', () => {
  test('is answered with status, headers and body, and follows no redirect', async () => {
    const { address, requests } = await startServer((_request, response) =>
      response.writeHead(302, { location: '/elsewhere', 'x-one': 'two' }).end('moved'),
    )
    const answer = await fetchAllowing(address)(address, {
      method: 'POST',
      body: new URLSearchParams({ a: 'b c' }),
    })
    expect([answer.status, answer.headers.get('x-one'), await answer.text()]).toEqual([302, 'two', 'moved'])
    expect(requests).toEqual(['POST / a=b+c'])
  })

  test('to an address inside the network does not reach it', async () => {
    const { address, requests } = await startServer((_request, response) => response.end('secret'))
    await expect(fetchAllowing('http://localhost:1')(address)).rejects.toMatchObject({
      message: 'fetch failed',
      cause: expect.any(InternalAddressError),
    })
    expect(requests).toEqual([])
  })

  test('takes no more than a megabyte', async () => {
    const { address } = await startServer((_request, response) => response.end(Buffer.alloc(1024 * 1024 + 1)))
    await expect(fetchAllowing(address)(address)).rejects.toBeInstanceOf(TypeError)
  })

  test('ends with its signal while the answer is under way', async () => {
    const ends = new AbortController()
    const { address } = await startServer((_request, response) => {
      response.write('begun')
      ends.abort(new Error('enough'))
    })
    await expect(fetchAllowing(address)(address, { signal: ends.signal })).rejects.toThrow('enough')
  })
})

function resolve(host: string, port: number, allowed = '') {
  const configuration = new Configuration('Production').add(
    { 'App:AllowedInternalAddresses': allowed },
    'test',
  )
  return new OutwardAddresses(configuration).resolve({ host, port }, AbortSignal.timeout(5000))
}

function fetchAllowing(address: string) {
  const settings = { 'App:AllowedInternalAddresses': new URL(address).host }
  return outwardFetch(new OutwardAddresses(new Configuration('Production').add(settings, 'test')))
}

async function startServer(answer: RequestListener): Promise<{ address: string; requests: string[] }> {
  const requests: string[] = []
  const server = createServer(async (request, response) => {
    const parts = await request.toArray()
    requests.push(`${request.method} ${request.url} ${Buffer.concat(parts)}`.trim())
    answer(request, response)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, requests }
}
