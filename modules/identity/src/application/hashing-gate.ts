import { availableParallelism } from 'node:os'
import { Injectable } from '@keel/framework'
import { UnavailableError } from '@keel/framework/contracts'
import { Gate } from '@keel/framework/security'

/**
 * Hashes at work at once (each holds one of libuv's four threads and a core for some 40 ms), and attempts that may wait. A core is left for
 * everybody else: who has a token already does not notice how many are signing in.
 */
const hashesInFlight = Math.max(1, Math.min(availableParallelism() - 1, 3))
const maxWaiting = 200

/** The gate that everything passes that hashes a password. */
@Injectable()
export class HashingGate extends Gate {
  constructor() {
    super(hashesInFlight, maxWaiting, tooManySignIns)
  }
}

function tooManySignIns(): UnavailableError {
  return new UnavailableError(
    'Too many people are signing in at this moment. Try again in a few seconds.',
    undefined,
    { text: { key: 'TooManySignIns' } },
  )
}
