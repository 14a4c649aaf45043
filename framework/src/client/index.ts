// The errors that calls throw, so that a proxy imports nothing else of the framework.
export {
  BusinessError,
  ConcurrencyError,
  EntityNotFoundError,
  type ErrorEnvelope,
  type ErrorOptions,
  errorFromEnvelope,
  ForbiddenError,
  KeelError,
  RemoteServiceError,
  TooManyRequestsError,
  UnauthenticatedError,
  UnavailableError,
  UserFriendlyError,
  ValidationError,
  type ValidationFault,
} from '../contracts/index.js'
export { withOptions } from './call-options.js'
export * from './client.js'
export * from './compare-contracts.js'
export * from './contract-mismatch.js'
export * from './entity-set-client.js'
export { type CallOptions, type ConnectionOptions, TimedOutError } from './exchange.js'
export type { Groups, SummableKey, Summed } from './group-query.js'
export * from './logins.js'
export {
  comparableArguments,
  nameOperations,
  type OperationName,
  operationNameOf,
} from './operation-names.js'
export * from './proxy.js'
export type { Query, Related, RelatedKey, RelatedRow, ValueKey, ValuesOf } from './query.js'
export type {
  CollectionField,
  Comparable,
  Condition,
  FieldOf,
  FieldsOf,
  InstantField,
  Ordered,
  TextField,
} from './query-fields.js'
export * from './remote-services.js'
export type { RetryOptions } from './retries.js'
export type { ContractDifference } from './shape-differences.js'
export * from './shared-reads.js'
export * from './tokens.js'
export type { Progress } from './transfer-progress.js'
