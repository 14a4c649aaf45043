import { pbkdf2Sync } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { expect, test } from 'vitest'
import { derive } from './hashing-threads.js'

test.each([1000, 6000])('%i iterations give the key that PBKDF2 gives', async (iterations) => {
  const derivation = {
    password: 'passwörd',
    salt: Buffer.from('salt'),
    iterations,
    keyBytes: 32,
    digest: 'sha512',
  }
  expect(await derive(derivation)).toEqual(pbkdf2Sync('passwörd', 'salt', iterations, 32, 'sha512'))
})

test('more passwords than there are threads are each answered with their own key', async () => {
  const salt = Buffer.from('salt')
  const passwords = Array.from(
    { length: 4 * availableParallelism() + 3 },
    (_unused, number) => `password ${number}`,
  )
  const keys = await Promise.all(
    passwords.map((password) => derive({ password, salt, iterations: 5000, keyBytes: 32, digest: 'sha256' })),
  )
  expect(keys).toEqual(passwords.map((password) => pbkdf2Sync(password, salt, 5000, 32, 'sha256')))
})

test('what a thread can not do is an error, and the next password is hashed', async () => {
  const derivation = { password: 'password', salt: Buffer.from('salt'), iterations: 5000, keyBytes: 32 }
  await expect(derive({ ...derivation, digest: 'no-such-digest' })).rejects.toThrow(/digest/i)
  expect(await derive({ ...derivation, digest: 'sha256' })).toHaveLength(32)
})
