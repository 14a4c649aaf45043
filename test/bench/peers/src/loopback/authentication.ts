import type { AuthenticationStrategy } from '@loopback/authentication'
import { HttpErrors, type Request } from '@loopback/rest'
import { securityId, type UserProfile } from '@loopback/security'
import jwt from 'jsonwebtoken'
import { readPublicKey, tokenRules } from '../settings.js'

const publicKey = await readPublicKey()

/** Bearer tokens, by a strategy as the authentication tutorial writes it. */
export class JwtStrategy implements AuthenticationStrategy {
  readonly name = 'jwt'

  async authenticate({ headers }: Request): Promise<UserProfile> {
    const [type, token] = headers.authorization?.split(' ') ?? []
    if (type !== 'Bearer' || !token) throw new HttpErrors.Unauthorized('Authorization header not found.')
    try {
      const { sub = '' } = jwt.verify(token, publicKey, tokenRules) as jwt.JwtPayload
      return { [securityId]: sub }
    } catch {
      throw new HttpErrors.Unauthorized('Error verifying token')
    }
  }
}
