import { KeelError } from '../../contracts/index.js'

/**
 * An error that says itself with which HTTP status it is answered, for protocols that decide that case by
 * case.
 */
export abstract class StatusError extends KeelError {
  abstract readonly httpStatus: number
}
