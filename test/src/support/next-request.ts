import { expect } from 'vitest'
import { hasCopies } from './copies.js'

/** Expects that the next request sees something; another copy of the host hears of it a moment later. */
export async function expectAtNextRequest<T>(read: () => Promise<T>, wanted: T): Promise<void> {
  if (hasCopies) await expect.poll(read, { timeout: 5000, interval: 10 }).toEqual(wanted)
  else expect(await read()).toEqual(wanted)
}
