import { ConcurrencyError, idempotencyKeyInUse, TooManyRequestsError } from '../../contracts/index.js'
import { StatusError } from '../server/status-error.js'

/** The key stands for another operation or another input of the same caller. */
export class IdempotencyKeyReusedError extends StatusError {
  override readonly name = 'IdempotencyKeyReusedError'
  readonly httpStatus = 422

  constructor() {
    super('This Idempotency-Key was used for another request: each request needs a key of its own.', {
      code: 'Keel:IdempotencyKeyReused',
      text: { key: 'Http:IdempotencyKeyReused' },
    })
  }
}

/** The earlier request with the key has not ended. */
export class IdempotencyKeyInUseError extends ConcurrencyError {
  constructor() {
    super('A request with this Idempotency-Key is under way: ask again in a moment.', {
      code: idempotencyKeyInUse,
      text: { key: 'Http:IdempotencyKeyInUse' },
    })
  }
}

/** The process of the earlier request with the key ended in the middle of it: it was carried out or not. */
export class IdempotentOutcomeUnknownError extends ConcurrencyError {
  constructor() {
    super(
      'The request with this Idempotency-Key was cut off: look whether it was carried out before you send it with another key.',
      { code: 'Keel:IdempotentOutcomeUnknown', text: { key: 'Http:IdempotentOutcomeUnknown' } },
    )
  }
}

/** The earlier request with the key worked, and its answer is not kept, because it held a secret or was too long. */
export class IdempotentAnswerNotKeptError extends ConcurrencyError {
  constructor() {
    super('The request with this Idempotency-Key was carried out before; its answer is not kept.', {
      code: 'Keel:IdempotentAnswerNotKept',
      text: { key: 'Http:IdempotentAnswerNotKept' },
    })
  }
}

/** The caller has as many keys as one caller may have within a day. */
export class TooManyIdempotencyKeysError extends TooManyRequestsError {
  constructor(retryAfterSeconds: number, maximum: number) {
    super(retryAfterSeconds, `You used ${maximum} Idempotency-Keys within a day, which is the most.`, {
      code: 'Keel:TooManyIdempotencyKeys',
      text: { key: 'Http:TooManyIdempotencyKeys', data: { maximum } },
    })
  }
}
