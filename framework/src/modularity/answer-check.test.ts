import { expect, test } from 'vitest'
import { Dto, decimal, file, id, instant, op, pageOf, z } from '../contracts/index.js'
import { answerCheck, compileAnswerCheck } from './answer-check.js'
import { Configuration } from './configuration.js'
import { jsonResult } from './json-text.js'

class LineDto extends Dto({ price: decimal(10, 2), at: instant(), note: z.string().max(5).nullish() }) {}
class OrderDto extends Dto({ lines: z.array(LineDto.schema), counts: z.record(z.string(), z.int()) }) {}

const line = { price: '1.50', at: new Date(0), note: null }
const order = (...lines: object[]) => ({ lines, counts: {} })
const faultsOf = compileAnswerCheck(op(id).returns(OrderDto))

test('an answer that keeps its contract has no faults, as an object and as JSON', () => {
  const whole = { lines: [line], counts: { open: 1 } }
  expect(faultsOf(whole)).toEqual([])
  expect(faultsOf(jsonResult(OrderDto, JSON.stringify(whole)))).toEqual([])
  expect(
    faultsOf(jsonResult(OrderDto, '{"lines":[{"price":1.5,"at":"1970-01-01T00:00:00Z"}],"counts":{}}')),
  ).toEqual([])
})

test.each([
  ['nothing', undefined, /^Invalid input: expected object, received undefined$/],
  ['null', null, /^Invalid input: expected object, received null$/],
  [
    'a wrong type',
    order({ ...line, note: 7 }),
    /^lines\[0\]\.note: Invalid input: expected string, received number$/,
  ],
  ['a missing member', { lines: [] }, /^counts: Invalid input/],
  ['a member that is undefined', order(line, { ...line, at: undefined }), /^lines\[1\]\.at: /],
  ['a number that is none', { lines: [], counts: { a: Number.NaN } }, /^counts\.a: /],
  ['a text that is too long', order({ ...line, note: '123456' }), /^lines\[0\]\.note: Too big/],
  [
    'a member of no schema',
    order({ ...line, secret: 'x' }),
    /^lines\[0\]\.secret: not declared by the contract$/,
  ],
])('%s is told with its member', (_what, answer, fault) => {
  const [told = '', ...more] = faultsOf(answer)
  expect(told).toMatch(fault)
  expect(more).toEqual([])
})

test('no digit of a decimal is lost', () => {
  class RateDto extends Dto({ rate: decimal(18, 8), ratio: z.number(), text: z.string() }) {}
  const json = '{"rate":9999999999.99999999,"ratio":0.30000000000000004,"text":"1234567890.123456789 \\""}'
  expect(compileAnswerCheck(op().returns(RateDto))(jsonResult(RateDto, json))).toEqual([])
})

test('JSON that was made elsewhere is compared too', () => {
  expect(faultsOf(jsonResult(OrderDto, '{"lines":[{"price":"x"}],"counts":{}}'))).toHaveLength(2)
})

test('a promised number is null where the database holds NaN, and nothing else is', () => {
  const json = '{"lines":[{"price":null,"at":"1970-01-01T00:00:00Z"}],"counts":{"open":null}}'
  expect(faultsOf(jsonResult(OrderDto, json))).toEqual([])
  expect(faultsOf(order({ ...line, price: null }))).toHaveLength(1)
  expect(faultsOf(jsonResult(OrderDto, '{"lines":[{"price":1.5,"at":null}],"counts":{}}'))).toHaveLength(1)
})

test('an operation that promises nothing gives nothing', () => {
  const nothing = compileAnswerCheck(op(id))
  expect([nothing(undefined), nothing(null)]).toEqual([[], []])
  expect(nothing({ nonsense: 1 })).toEqual([
    'the contract promises no result: add .returns(…) to it, or return nothing',
  ])
})

test('a file is a file', () => {
  const download = compileAnswerCheck(op(id).returns(file('text/plain')))
  expect(download(new File(['a'], 'a.txt'))).toEqual([])
  expect(download('a')).toEqual(['expected a file'])
})

test('a null is no fault where the contract allows it, nor is a text', () => {
  expect(compileAnswerCheck(op(id).returns(OrderDto.schema.nullable()))(null)).toEqual([])
  expect(compileAnswerCheck(op(id).returns(z.string()))('text')).toEqual([])
})

test('in Production nothing is compared unless App:CheckAnswers says so', () => {
  const asking = { 'App:CheckAnswers': 'true' }
  expect(answerCheck(new Configuration('Production'))).toBeUndefined()
  expect(answerCheck(new Configuration('Production').add(asking, 'test'))).toBeDefined()
  expect(answerCheck(new Configuration('Development'))).toBeDefined()
  expect(
    answerCheck(new Configuration('Development').add({ 'App:CheckAnswers': 'false' }, 'test')),
  ).toBeUndefined()
})

test('a page of rows is compared row by row', () => {
  const page = compileAnswerCheck(op().returns(pageOf(LineDto)))
  expect(page({ totalCount: 1, items: [{ ...line, price: 'x' }] })).toEqual([
    'items[0].price: Invalid input: expected a decimal number',
  ])
})
