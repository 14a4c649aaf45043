import type { Content, HostContract, OperationContract } from './contract.js'
import type { EntitySetContract } from './entity-set-contracts.js'
import { type Change, type Schema, schemaChanges } from './schema-diff.js'

/** The step to the next version, by Semantic Versioning. */
export type VersionStep = 'major' | 'minor' | 'patch'

/** Everything that changed between two contracts, what breaks first. */
export function contractChanges(before: HostContract, after: HostContract): Change[] {
  const changes = [
    ...operationChanges(before, after),
    ...named('permission', before.permissions, after.permissions, (old, now, where) => [
      ...differs(old.parent, now.parent, false, where, 'parent'),
      ...(narrower(old.providers, now.providers)
        ? [breaking(where, `can only be granted to ${now.providers.join(', ')} now`)]
        : []),
    ]),
    ...named('setting', before.settings, after.settings, visibleValue),
    ...named('feature', before.features, after.features, visibleValue),
    ...named('entity set', before.entitySets, after.entitySets, entitySetChanges),
    ...named('event', before.events, after.events, (old, now, where) =>
      schemaChanges({ before: old, after: now, schemasBefore: {}, schemasAfter: {} }, 'received', where),
    ),
  ]
  return changes.sort((a, b) => Number(b.isBreaking) - Number(a.isBreaking))
}

/** The step that changes ask for; before 1.0 a minor version may break. */
export function versionStep(changes: readonly Change[], isBeforeOne: boolean): VersionStep {
  const isBreaking = changes.some((change) => change.isBreaking)
  if (isBreaking) return isBeforeOne ? 'minor' : 'major'
  return changes.length && !isBeforeOne ? 'minor' : 'patch'
}

function operationChanges(before: HostContract, after: HostContract): Change[] {
  const [old, now] = [operations(before), operations(after)]
  const schemas = {
    schemasBefore: before.schemas,
    schemasAfter: after.schemas,
    compared: new Set<string>(),
  }
  return named('operation', old, now, (was, is, where) => {
    const pair = (one: Schema, other: Schema) => ({ before: one, after: other, ...schemas })
    const parameters = named(
      'parameter',
      parametersOf(was.operation),
      parametersOf(is.operation),
      (one, other, name) => [
        ...(!one.required && other.required ? [breaking(`${where} ${name}`, 'must be there now')] : []),
        ...schemaChanges(pair(one.schema, other.schema), 'sent', `${where} ${name}`),
      ],
    )
    return [
      ...differs(was.callers, is.callers, true, where, 'callers'),
      ...parameters.map((change) => ({
        ...change,
        where: change.where.startsWith('parameter ') ? `${where} ${change.where}` : change.where,
        isBreaking: change.isBreaking || (change.what === 'is new' && demands(is.operation, change.where)),
      })),
      ...contentChanges(was.operation.requestBody?.content, is.operation.requestBody?.content, (one, other) =>
        schemaChanges(pair(one, other), 'sent', `${where} body`),
      ),
      ...answerChanges(was.operation, is.operation, where, pair),
    ]
  })

  function answerChanges(
    was: OperationContract,
    is: OperationContract,
    where: string,
    pair: (one: Schema, other: Schema) => Parameters<typeof schemaChanges>[0],
  ) {
    return Object.entries(was.responses)
      .filter(([status]) => status.startsWith('2'))
      .flatMap(([status, { content }]) => {
        const answer = is.responses[status]
        if (!answer) return [breaking(where, `no longer answers ${status}`)]
        return contentChanges(content, answer.content, (one, other) =>
          schemaChanges(pair(one, other), 'received', `${where} ${status}`),
        )
      })
  }
}

/** By `VERB path`, with parameters of paths by their place: their names are nobody's business. */
function operations({ paths, callers }: HostContract) {
  return Object.fromEntries(
    Object.entries(paths).flatMap(([path, verbs]) =>
      Object.entries(verbs).map(([verb, operation]) => {
        const route = `${verb.toUpperCase()} ${path}`
        return [route.replace(/\{\w+\}/g, '{}'), { operation, callers: callers[route] ?? '' }]
      }),
    ),
  )
}

function parametersOf({ parameters = [] }: OperationContract) {
  const places = parameters.filter((parameter) => parameter.in === 'path')
  return Object.fromEntries(
    parameters.map((parameter) => [
      parameter.in === 'path' ? `{${places.indexOf(parameter)}}` : `${parameter.in} ${parameter.name}`,
      parameter,
    ]),
  )
}

function demands(operation: OperationContract, where: string): boolean {
  return Object.entries(parametersOf(operation)).some(
    ([name, { required }]) => required && where.endsWith(name),
  )
}

function contentChanges(
  before: Content = {},
  after: Content = {},
  compare: (before: Schema, after: Schema) => Change[],
): Change[] {
  return Object.entries(before).flatMap(([type, { schema }]) => {
    const other = after[type]?.schema
    return schema && other ? compare(schema, other) : after[type] || !schema ? [] : compare(schema, {})
  })
}

type Visible = { readonly default: string | null; readonly isVisibleToClients: boolean }

function visibleValue(old: Visible, now: Visible, where: string): Change[] {
  return [
    ...(old.isVisibleToClients && !now.isVisibleToClients
      ? [breaking(where, 'is no longer visible to clients')]
      : []),
    ...differs(old.default, now.default, false, where, 'default'),
  ]
}

function entitySetChanges(old: EntitySetContract, now: EntitySetContract, where: string): Change[] {
  return [
    ...differs(old.permission, now.permission, true, where, 'permission'),
    ...differs(old.keys.join(), now.keys.join(), true, where, 'key'),
    ...named(`${where} property`, old.properties, now.properties, (was, is, at) => [
      ...differs(was.type, is.type, true, at, 'type'),
      ...(was.nullable === is.nullable
        ? []
        : [
            {
              isBreaking: is.nullable,
              where: at,
              what: is.nullable ? 'may be null now' : 'is never null now',
            },
          ]),
    ]),
    ...named(`${where} navigation property`, old.navigations, now.navigations, (was, is, at) => [
      ...differs(was.target, is.target, true, at, 'target'),
      ...differs(was.collection, is.collection, true, at, 'being a collection'),
    ]),
  ]
}

/** Changes of things that have names: added, removed, and changed ones by `compare`. */
function named<T>(
  kind: string,
  before: Readonly<Record<string, T>>,
  after: Readonly<Record<string, T>>,
  compare: (before: T, after: T, where: string) => readonly Change[],
): Change[] {
  const where = (name: string): string => `${kind} ${name}`
  return [
    ...Object.entries(before).flatMap(([name, old]) => {
      const now = after[name]
      return now === undefined ? [breaking(where(name), 'is gone')] : compare(old, now, where(name))
    }),
    ...Object.keys(after)
      .filter((name) => !(name in before))
      .map((name) => ({ isBreaking: false, where: where(name), what: 'is new' })),
  ]
}

const breaking = (where: string, what: string): Change => ({ isBreaking: true, where, what })

function differs(
  before: unknown,
  after: unknown,
  isBreaking: boolean,
  where: string,
  what: string,
): Change[] {
  return before === after
    ? []
    : [{ isBreaking, where, what: `${what} ${JSON.stringify(before)} → ${JSON.stringify(after)}` }]
}

/** No providers means all. */
function narrower(before: readonly string[], after: readonly string[]): boolean {
  return after.length > 0 && (before.length === 0 || before.some((provider) => !after.includes(provider)))
}
