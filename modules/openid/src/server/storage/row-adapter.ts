import { createHash } from 'node:crypto'
import type { Sql, Statement } from '@keel/framework/data'
import { toStatement } from '@keel/framework/data'
import type { Adapter, AdapterPayload } from 'oidc-provider'

/**
 * Where oidc-provider keeps things of one kind. What a kind does not override is never called for it, and
 * says so if it is.
 */
export abstract class RowAdapter implements Adapter {
  abstract find(id: string): Promise<AdapterPayload | undefined>

  upsert(_id: string, _payload: AdapterPayload, _expiresIn?: number): Promise<void> {
    return this.unexpected('upsert')
  }

  findByUid(_uid: string): Promise<AdapterPayload | undefined> {
    return this.unexpected('findByUid')
  }

  findByUserCode(_userCode: string): Promise<AdapterPayload | undefined> {
    return this.unexpected('findByUserCode')
  }

  consume(_id: string): Promise<void> {
    return this.unexpected('consume')
  }

  destroy(_id: string): Promise<void> {
    return this.unexpected('destroy')
  }

  revokeByGrantId(_grantId: string): Promise<void> {
    return this.unexpected('revokeByGrantId')
  }

  private unexpected(method: string): never {
    throw new Error(
      `${this.constructor.name}.${method} was called, but the flow that needs it is not switched on`,
    )
  }
}

/**
 * The id of the row of a secret value: the first half of its SHA-256. The value itself is a credential and is
 * not stored.
 */
export function rowIdOf(kind: string, value: string): string {
  const hex = createHash('sha256').update(`${kind}:${value}`).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
}

/** A payload as it is stored: without its id, which may be a secret. */
export function payloadText({ jti: _secret, ...payload }: AdapterPayload): string {
  return JSON.stringify(payload)
}

/** A statement that is prepared once per connection: for those on the way of every token. */
export function preparedStatement(name: string, statement: Sql): Statement {
  return { name: `openid.${name}`, ...toStatement(statement) }
}

/** The end of a life of so many seconds from now. */
export function expiryOf(seconds = 0): Date {
  return new Date(Date.now() + seconds * 1000)
}
