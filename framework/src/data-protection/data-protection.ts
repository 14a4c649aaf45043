import { hkdfSync } from 'node:crypto'
import { Clock } from '../modularity/clock.js'
import { Injectable } from '../modularity/injectable.js'
import { DataProtectionKeys, type ProtectionKey } from './data-protection-keys.js'
import { seal, unseal } from './sealing.js'

const version = 1
const keyTagBytes = 8
const headBytes = 1 + keyTagBytes
const endBytes = 6

/**
 * Protects what leaves the server and comes back, or lies where others can look: cookies, tokens, entries of a cache. All processes on the
 * same Default database share its keys; a new one comes every 90 days, and what older ones protected stays readable.
 */
@Injectable()
export class DataProtection {
  constructor(
    private readonly keys: DataProtectionKeys,
    private readonly clock: Clock,
  ) {}

  /** Reads the keys, and makes the first: to be awaited before the first use, and at once when they are known. */
  load(): Promise<void> | undefined {
    return this.keys.load()
  }

  /** The protector of a purpose: what one protects no other can read. @example protection.protector('OpenId', 'Cookies') */
  protector(...purposes: readonly [string, ...string[]]): DataProtector {
    return new DataProtector(this.keys, purposes, this.clock)
  }
}

/** Protects texts for one purpose, and makes keys for it. {@link DataProtection.load} comes first. */
export class DataProtector {
  private readonly derived = new WeakMap<ProtectionKey, Buffer>()
  private readonly info: string

  /** Use {@link DataProtection.protector}. */
  constructor(
    private readonly ring: DataProtectionKeys,
    purposes: readonly string[],
    private readonly clock: Clock,
  ) {
    this.info = `keel data protection ${JSON.stringify(purposes)}`
  }

  /** 32 bytes each, for this purpose alone: the one in use first, then the older ones. For signatures and their checks. */
  get keys(): readonly [Buffer, ...Buffer[]] {
    const [inUse, ...others] = this.ring.known()
    return [this.derivedFrom(inUse), ...others.map((key) => this.derivedFrom(key))]
  }

  /** The text, encrypted, as base64url. @param ends when it stops to count; never when not given */
  protect(text: string, ends?: Date): string {
    const [key] = this.ring.known()
    const head = Buffer.concat([Buffer.of(version), tagOf(key)])
    const content = Buffer.alloc(endBytes)
    content.writeUIntBE(ends ? Math.max(ends.getTime(), 1) : 0, 0, endBytes)
    const sealed = seal(Buffer.concat([content, Buffer.from(text)]), this.derivedFrom(key), head)
    return Buffer.concat([head, sealed]).toString('base64url')
  }

  /** The text again; undefined when it is not ours, of another purpose, changed or ended. */
  unprotect(protectedText: string): string | undefined {
    const bytes = Buffer.from(protectedText, 'base64url')
    if (bytes[0] !== version || bytes.length < headBytes) return undefined
    const head = bytes.subarray(0, headBytes)
    const key = this.ring.known().find((one) => tagOf(one).equals(head.subarray(1)))
    if (!key) {
      this.ring.lookForNewKeys()
      return undefined
    }
    const content = unseal(bytes.subarray(headBytes), this.derivedFrom(key), head)
    if (!content) return undefined
    const endMs = content.readUIntBE(0, endBytes)
    return endMs === 0 || this.clock.nowMs < endMs ? content.subarray(endBytes).toString() : undefined
  }

  private derivedFrom(key: ProtectionKey): Buffer {
    let derived = this.derived.get(key)
    if (!derived) {
      derived = Buffer.from(hkdfSync('sha256', key.bytes, '', this.info, 32))
      this.derived.set(key, derived)
    }
    return derived
  }
}

/** Names a key in what it protects: the random end of its id. */
function tagOf({ id }: ProtectionKey): Buffer {
  return Buffer.from(id.replaceAll('-', '').slice(-2 * keyTagBytes), 'hex')
}
