import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { choosePort, portOwner } from './ports.js'

test('a taken port is left to its owner, who is named, and a reserved one to its process', async () => {
  const server = createServer().listen(0)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const said: string[] = []
  const chosen = await choosePort('the API', port, [port + 1], (line) => said.push(line))
  server.close()
  expect(chosen).toBeGreaterThan(port + 1)
  expect(said).toHaveLength(1)
  if (process.platform === 'linux')
    expect(said[0]).toContain(`(process ${process.pid}): the API uses ${chosen}.`)
})

test('a free port has no owner and is chosen silently', async () => {
  const server = createServer().listen(0)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  expect(portOwner(port)).toBeUndefined()
  expect(await choosePort('the API', port, [], () => expect.unreachable())).toBe(port)
})
