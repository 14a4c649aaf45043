export * from './ambient.js'
export * from './application.js'
export { atMost } from './at-most.js'
export { programIn } from './bundled-places.js'
export * from './class.js'
export * from './clock.js'
export { readArguments } from './command-arguments.js'
export * from './configuration.js'
export * from './contract-texts.js'
export * from './culture.js'
export type { Token } from './dependencies.js'
export { compareClocks, Diagnosis, type Finding, healthy, problem, warning } from './diagnosis.js'
export { environmentOf } from './environment.js'
export * from './features.js'
export * from './health-check.js'
export * from './host.js'
export { HttpDelete, HttpGet, HttpPatch, HttpPost, HttpPut } from './http-verbs.js'
export {
  AutoApiController,
  contractOf,
  InjectAll,
  Injectable,
  Provides,
  providedBy,
  Replaces,
  type Scope,
} from './injectable.js'
export { InputError } from './input-error.js'
export type { InterceptedOperation, Interceptor, Next, Step } from './interceptor.js'
export * from './json-text.js'
export type { ListedService } from './listed-services.js'
export {
  type ListedPersonalData,
  type ListedTemplate,
  type LoadedModule,
  type ModuleListing,
  moduleListingOf,
  type PublishedSet,
} from './loaded-module.js'
export { strictTransport } from './local-address.js'
export * from './localization.js'
export * from './logging.js'
export * from './module.js'
export { nearestName } from './nearest-name.js'
export {
  maySetField,
  newOwnFields,
  type OwnFields,
  ownFieldDefaults,
  ownFieldLabel,
  ownValueLabel,
  type SeenFields,
} from './own-fields.js'
export * from './policy.js'
export * from './principal.js'
export * from './progress.js'
export type { RequestScope } from './request-scope.js'
export { type RequestStep, requestSteps, type StepName, type StepPlace } from './request-steps.js'
export { featureIsNotEnabled, RequiresFeature, requiredFeatures } from './required-feature.js'
export * from './settings.js'
export * from './startup-error.js'
export type { Tsdoc } from './tsdoc.js'
export { type CheckedInput, compileInputCheck } from './validation.js'
