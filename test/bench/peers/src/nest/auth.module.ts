import {
  type CanActivate,
  type ExecutionContext,
  Injectable,
  Module,
  UnauthorizedException,
} from '@nestjs/common'
import { APP_GUARD } from '@nestjs/core'
import { JwtModule, JwtService } from '@nestjs/jwt'
import { readPublicKey, tokenRules } from '../settings.js'

/** Who calls, as guards leave it on the request. */
export interface AuthenticatedRequest {
  readonly headers: { readonly authorization?: string }
  user: { readonly sub: string }
}

/** The guard of Nest's chapter on authentication, for every route. */
@Injectable()
export class AuthGuard implements CanActivate {
  constructor(private readonly jwt: JwtService) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>()
    const [type, token] = request.headers.authorization?.split(' ') ?? []
    if (type !== 'Bearer' || !token) throw new UnauthorizedException()
    try {
      request.user = await this.jwt.verifyAsync(token)
    } catch {
      throw new UnauthorizedException()
    }
    return true
  }
}

@Module({
  imports: [
    JwtModule.registerAsync({
      useFactory: async () => ({ publicKey: await readPublicKey(), verifyOptions: tokenRules }),
    }),
  ],
  providers: [{ provide: APP_GUARD, useClass: AuthGuard }],
})
export class AuthModule {}
