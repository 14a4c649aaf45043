import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { Injectable } from '@keel/framework'
import { KeyRing } from './key-ring.js'
import type { Context } from './pages.js'

const ivBytes = 12
const tagBytes = 16

/** Where a cookie goes, and for how long it counts. */
export interface SealedCookie {
  readonly name: string
  /** The only path that it is sent to. */
  readonly path: string
  readonly seconds: number
}

/** Cookies that nobody but this server can read or make: what a browser carries from one step to the next. */
@Injectable()
export class SealedCookies {
  constructor(private readonly keys: KeyRing) {}

  set(ctx: Context, { name, path, seconds }: SealedCookie, content: object): void {
    const text = JSON.stringify({ ends: Date.now() + seconds * 1000, content })
    ctx.cookies.set(name, seal(text, name, this.keys.cookies[0] as string), {
      signed: false,
      httpOnly: true,
      sameSite: 'lax',
      secure: ctx.secure,
      overwrite: true,
      path,
      maxAge: seconds * 1000,
    })
  }

  /** What was put in; undefined when there is nothing, it is not ours or it has ended. */
  read<T>(ctx: Context, { name }: Pick<SealedCookie, 'name'>): T | undefined {
    const value = ctx.cookies.get(name, { signed: false })
    if (!value) return undefined
    for (const key of this.keys.cookies) {
      const text = unseal(value, name, key)
      if (text === undefined) continue
      const { ends, content } = JSON.parse(text) as { ends: number; content: T }
      return ends > Date.now() ? content : undefined
    }
    return undefined
  }

  clear(ctx: Context, { name, path }: Pick<SealedCookie, 'name' | 'path'>): void {
    ctx.cookies.set(name, null, { signed: false, httpOnly: true, sameSite: 'lax', secure: ctx.secure, path })
  }
}

function seal(text: string, name: string, key: string): string {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv('aes-256-gcm', keyOf(key), iv).setAAD(Buffer.from(name))
  const content = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), content]).toString('base64url')
}

function unseal(value: string, name: string, key: string): string | undefined {
  const bytes = Buffer.from(value, 'base64url')
  if (bytes.length < ivBytes + tagBytes) return undefined
  try {
    const decipher = createDecipheriv('aes-256-gcm', keyOf(key), bytes.subarray(0, ivBytes))
      .setAAD(Buffer.from(name))
      .setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
    return Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]).toString()
  } catch {
    return undefined
  }
}

/** A key of its own: the cookies' keys sign, and one key does one thing. */
function keyOf(key: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', 'keel sealed cookies', 32))
}
