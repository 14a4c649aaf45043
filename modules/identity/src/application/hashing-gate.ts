import { availableParallelism } from 'node:os'
import { Injectable } from '@keel/framework'
import { LimitReachedError } from '@keel/framework/contracts'
import { Gate } from '@keel/framework/security'

/**
 * Hashes at work at once, each some 90 ms of a core, and attempts that may wait. They are made in threads
 * that stand back for everybody else: who has a token already does not notice how many are signing in.
 */
const hashesInFlight = Math.min(availableParallelism(), 4)
const maxWaiting = 200

/** The gate that everything passes that hashes a password. */
@Injectable()
export class HashingGate extends Gate {
  constructor() {
    super(hashesInFlight, maxWaiting, tooManySignIns)
  }
}

function tooManySignIns(): LimitReachedError {
  return new LimitReachedError(
    'Too many people are signing in at this moment. Try again in a few seconds.',
    undefined,
    { text: { key: 'TooManySignIns' } },
  )
}
