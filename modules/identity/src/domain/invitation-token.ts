import { createHash, randomBytes } from 'node:crypto'

/** A token for the link of an invitation, which is stored nowhere, and the digest that is. */
export function newInvitationToken(): { readonly token: string; readonly tokenHash: string } {
  const token = randomBytes(32).toString('base64url')
  return { token, tokenHash: digestOf(token) }
}

/** SHA-256 of a token, in hex. */
export function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
