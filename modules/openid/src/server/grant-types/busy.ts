import { TooManyRequestsError, UnavailableError } from '@keel/framework/contracts'
import { errors, type KoaContextWithOIDC } from 'oidc-provider'

/** The answer to a client that has to wait; other errors are returned as they are. */
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
