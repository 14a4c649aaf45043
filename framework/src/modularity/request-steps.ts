/** Where a step of a request stands. */
export type StepPlace =
  /** Before a route is looked for: every request passes it. */
  | 'request'
  /** On a route, between finding it and calling what answers it. */
  | 'route'
  /** Around an operation of a contract, called over HTTP or in this process. */
  | 'operation'

/** A step of a request. */
export interface RequestStep {
  readonly place: StepPlace
  /** Names it among the steps of its place. */
  readonly name: string
  readonly does: string
  /** The file below `framework/src` that makes the step, and the name of its export. */
  readonly madeBy: readonly [file: string, exported: string]
}

/**
 * Every step of a request, in order, printed by `keel pipeline`. Those that make the steps look their places
 * up here, and a step without a maker does not compile.
 */
export const requestSteps = [
  {
    place: 'request',
    name: 'correlation id',
    does: 'names the call in the answer and in logs',
    madeBy: ['http/server/pipeline.ts', 'createPipeline'],
  },
  {
    place: 'request',
    name: 'log',
    does: 'writes a line for each request, with Log:Requests',
    madeBy: ['http/server/pipeline.ts', 'createPipeline'],
  },
  {
    place: 'request',
    name: 'trace',
    does: 'opens a span, where telemetry is exported',
    madeBy: ['http/server/request-telemetry.ts', 'requestTelemetry'],
  },
  {
    place: 'request',
    name: 'security headers',
    does: 'says what browsers may do with the answer',
    madeBy: ['http/server/pipeline.ts', 'createPipeline'],
  },
  {
    place: 'request',
    name: 'CORS',
    does: 'lets in pages of other origins, answers their preflights',
    madeBy: ['http/server/cors.ts', 'createCors'],
  },
  {
    place: 'request',
    name: 'culture',
    does: 'chooses the language of texts',
    madeBy: ['modularity/culture.ts', 'cultureOf'],
  },
  {
    place: 'request',
    name: 'warnings of operations',
    does: 'lets operations that write tell the caller of what they do not refuse',
    madeBy: ['http/server/pipeline.ts', 'createPipeline'],
  },
  {
    place: 'request',
    name: 'earlier writes of the caller',
    does: 'waits until this copy of the host knows them',
    madeBy: ['data/connections/seen-writes.ts', 'SeenWrites'],
  },
  {
    place: 'request',
    name: 'authentication and dynamic claims',
    does: 'finds the caller by API key or bearer token, with roles and permissions of now',
    madeBy: ['security/authenticator.ts', 'Authenticator'],
  },
  {
    place: 'request',
    name: 'rate limits',
    does: 'refuses callers that send too much, by RateLimits',
    madeBy: ['security/rate-limits.ts', 'generalLimit'],
  },
  {
    place: 'request',
    name: 'audit scope',
    does: 'gathers what the audit log will say of the request',
    madeBy: ['http/server/request-auditing.ts', 'requestAuditing'],
  },
  {
    place: 'route',
    name: 'rate limit of the operation',
    does: 'refuses callers that call it too often, by RateLimits:Operations',
    madeBy: ['security/rate-limits.ts', 'operationLimits'],
  },
  {
    place: 'route',
    name: 'guard',
    does: 'refuses callers without the permission, before their body is read',
    madeBy: ['security/authorization.ts', 'admission'],
  },
  {
    place: 'route',
    name: 'no compression',
    does: 'sends secrets as they are',
    madeBy: ['http/server/compression.ts', 'withoutCompression'],
  },
  {
    place: 'route',
    name: 'body',
    does: 'reads JSON within the limits of App',
    madeBy: ['http/operations/json-body.ts', 'jsonBody'],
  },
  {
    place: 'route',
    name: 'middleware',
    does: 'of a controller that is written by hand: its own, then that of the method',
    madeBy: ['http/server/inversify-server.ts', 'FastInversifyServer'],
  },
  {
    place: 'operation',
    name: 'guard',
    does: 'refuses callers without the permission; skipped where the route did that',
    madeBy: ['security/authorization.ts', 'authorization'],
  },
  {
    place: 'operation',
    name: 'audit',
    does: 'notes the call in the audit scope',
    madeBy: ['auditing/auditing-interceptor.ts', 'auditCalls'],
  },
  {
    place: 'operation',
    name: 'features',
    does: 'refuses what is switched off',
    madeBy: ['modularity/required-feature.ts', 'featureGate'],
  },
  {
    place: 'operation',
    name: 'validation',
    does: 'checks the arguments against the contract',
    madeBy: ['modularity/validation.ts', 'validation'],
  },
  {
    place: 'operation',
    name: 'field rights',
    does: 'refuses members that the caller may not write, and leaves out those that he may not see',
    madeBy: ['modularity/field-rights.ts', 'fieldRights'],
  },
  {
    place: 'operation',
    name: 'own fields',
    does: 'checks the values of fields that an installation or another module added to an entity, and leaves out those that the caller may not see',
    madeBy: ['modularity/own-fields.ts', 'ownFieldCheck'],
  },
  {
    place: 'operation',
    name: 'idempotency key',
    does: 'answers a creation that came before with the same key as it was answered then',
    madeBy: ['http/idempotency/idempotency.module.ts', 'idempotency'],
  },
  {
    place: 'operation',
    name: 'unit of work',
    does: 'opens a transaction on every database that is written',
    madeBy: ['data/connections/unit-of-work.ts', 'unitOfWork'],
  },
  {
    place: 'operation',
    name: 'answers',
    does: 'checks answers against the contract, in Development',
    madeBy: ['modularity/answer-check.ts', 'answerCheck'],
  },
] as const satisfies readonly RequestStep[]

/** The names of the steps of a place. */
export type StepName<P extends StepPlace> = Extract<(typeof requestSteps)[number], { place: P }>['name']

/** The names of the steps of a place, in order. */
export function stepsAt<P extends StepPlace>(place: P): StepName<P>[] {
  return requestSteps.filter((step) => step.place === place).map(({ name }) => name as StepName<P>)
}
