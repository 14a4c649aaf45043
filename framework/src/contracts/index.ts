export { z } from 'zod'
export * from './app-service.js'
export * from './application-configuration.js'
export * from './dto.js'
export * from './email-address.js'
export { type ErrorEnvelope, errorEnvelope, type Problem, problemDetails } from './error-envelope.js'
export * from './errors.js'
export * from './events.js'
export * from './extra-properties.js'
export * from './features.js'
export * from './field-permissions.js'
export * from './files.js'
export * from './imports.js'
export * from './list-mails.js'
export * from './macros.js'
export * from './multi-tenancy.js'
export * from './name-value.js'
export * from './operation.js'
export * from './own-fields.js'
export * from './paging.js'
export * from './permissions.js'
export * from './phone-number.js'
export * from './remote-service.js'
export * from './resource-permissions.js'
export {
  featureOf,
  kebab,
  type OperationRoute,
  type ParameterSource,
  pascalCase,
  takesIdempotencyKey,
  verbOf,
} from './routes.js'
export * from './scalars.js'
export * from './schema-walk.js'
export * from './settings.js'
export * from './wire.js'
