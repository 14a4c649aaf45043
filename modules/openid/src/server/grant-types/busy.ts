import { TooManyRequestsError, UnavailableError } from '@keel/framework/contracts'
import { errors, type KoaContextWithOIDC } from 'oidc-provider'

/** What a client is told when it, or everybody, has to wait; other errors as they are. */
export function toBusyAnswer(ctx: Pick<KoaContextWithOIDC, 'set'>, error: unknown): unknown {
  if (error instanceof TooManyRequestsError) return busy(ctx, 429, error)
  if (error instanceof UnavailableError) return busy(ctx, 503, error)
  return error
}

function busy(
  ctx: Pick<KoaContextWithOIDC, 'set'>,
  status: number,
  {
    message,
    retryAfterSeconds = 1,
  }: { readonly message: string; readonly retryAfterSeconds?: number | undefined },
): Error {
  ctx.set('retry-after', String(retryAfterSeconds))
  return Object.assign(new errors.TemporarilyUnavailable(message), { status, statusCode: status })
}
