import pg from 'pg'
import { expect, test } from 'vitest'
import {
  type ClientInternals,
  InternalQuery,
  type QueryInternals,
  type Wire,
  wireOf,
} from './pg-internals.js'

/** Every member of pg that we touch and its typings leave out: a name that is missing here does not compile. */
const clientMethods = {
  getStartupConf: 0,
  _pulseQueryQueue: 0,
  _handleParseComplete: 0,
  _handleCommandComplete: 1,
  _handleReadyForQuery: 1,
  _handleErrorMessage: 1,
  _getActiveQuery: 0,
} satisfies Record<Exclude<keyof ClientInternals, keyof pg.Client | ClientValues>, number>
type ClientValues = 'processID' | 'readyForQuery' | '_queryQueue'

const wireMethods = {
  query: 1,
  parse: 1,
  bind: 1,
  execute: 1,
  close: 1,
  endCopyFrom: 0,
  attachListeners: 1,
  emit: 1,
} satisfies Record<Exclude<keyof Wire, 'stream' | 'parsedStatements' | 'submittedNamedStatements'>, number>

const queryMethods = {
  hasBeenParsed: 1,
  prepare: 1,
  submit: 1,
  handleRowDescription: 1,
  handleDataRow: 1,
  handleCommandComplete: 1,
  handleCopyInResponse: 1,
} satisfies Record<Exclude<keyof QueryInternals, 'name' | 'text' | 'values'>, number>

/** The number of parameters of each method at least; undefined for one that is gone. */
function parametersOf(target: object, methods: Record<string, number>): Record<string, number | undefined> {
  return Object.fromEntries(
    Object.entries(methods).map(([name, least]) => {
      const method = (target as Record<string, unknown>)[name]
      return [name, typeof method === 'function' ? Math.min(method.length, least) : undefined]
    }),
  )
}

test('pg has the members that we touch, with the parameters that we give or take', () => {
  const client = new pg.Client('postgres://nobody@localhost:1/none')
  const wire = wireOf(client)
  expect(parametersOf(client, clientMethods)).toEqual(clientMethods)
  expect(parametersOf(wire, { ...wireMethods, emit: 0 })).toEqual({ ...wireMethods, emit: 0 })
  expect(parametersOf(new InternalQuery('select 1', []), queryMethods)).toEqual(queryMethods)
  expect(client).toMatchObject({ processID: null, _queryQueue: [] })
  ;(client as unknown as ClientInternals)._handleReadyForQuery({ status: 'I' })
  expect(client).toMatchObject({ readyForQuery: true })
  expect(wire).toMatchObject({ parsedStatements: {}, submittedNamedStatements: {} })
  expect(wire.stream.destroy).toBeTypeOf('function')
})

test('a query keeps its text, values and name where pg reads them', () => {
  const query = new InternalQuery('select $1', ['x'])
  query.name = 'named'
  const prepares = (query as unknown as { requiresPreparation(): boolean }).requiresPreparation()
  expect([query.text, query.values, query.name, prepares]).toEqual(['select $1', ['x'], 'named', true])
})
