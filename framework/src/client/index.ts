// What calls throw, so that a proxy needs this door alone.
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
export * from './client.js'
export * from './proxy.js'
export * from './remote-services.js'
