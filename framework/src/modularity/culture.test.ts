import { expect, test } from 'vitest'
import { cultureChain, cultureOf } from './culture.js'

const offered = new Set(['en', 'nl', 'pt-BR', 'zh-Hans'])
const accepting = (acceptLanguage: string): string => cultureOf({ url: '/', acceptLanguage }, offered, 'en')

test.each([
  ['nl', 'nl'],
  ['nl-BE', 'nl'],
  ['NL-be', 'nl'],
  ['pt-br', 'pt-BR'],
  ['pt-PT', 'en'],
  ['zh', 'zh-Hans'],
  ['zh-CN', 'zh-Hans'],
  ['zh-SG', 'zh-Hans'],
  ['zh-Hans-CN', 'zh-Hans'],
  ['zh-TW', 'en'],
  ['de, nl;q=0.5, pt-BR;q=0.8', 'pt-BR'],
  ['de;q=1, nl; q=0.5', 'nl'],
  ['nl;q=0, pt-BR;q=0.1', 'pt-BR'],
  ['nl;q=0', 'en'],
  ['nl;q=much', 'en'],
  ['*', 'en'],
  ['', 'en'],
  [',;q=,', 'en'],
])('who accepts "%s" gets %s', (wanted, culture) => {
  expect(accepting(wanted)).toBe(culture)
})

test.each([
  ['/x?culture=nl', undefined, 'nl'],
  ['/x?a=1&ui-culture=pt-BR&culture=nl', undefined, 'pt-BR'],
  ['/x?culture=xx', undefined, 'zh-Hans'],
  ['/x?culture=%00', undefined, 'zh-Hans'],
  ['/x', '.AspNetCore.Culture=c=nl|uic=nl', 'nl'],
  ['/x', 'a=b; .AspNetCore.Culture=c%3Dnl%7Cuic%3Dpt-BR; c=d', 'pt-BR'],
  ['/x', '.AspNetCore.Culture=c%3Dnl-BE', 'nl'],
  ['/x', '.AspNetCore.Culture=rubbish', 'zh-Hans'],
  ['/x?culture=pt-BR', '.AspNetCore.Culture=c=nl|uic=nl', 'pt-BR'],
  ['/x', undefined, 'zh-Hans'],
])('%s with the cookie %s and Accept-Language zh-CN is answered in %s', (url, cookie, culture) => {
  expect(cultureOf({ url, cookie, acceptLanguage: 'zh-CN' }, offered, 'en')).toBe(culture)
})

test('who asks for nothing that is offered gets the default', () => {
  expect(cultureOf({ url: '/', acceptLanguage: 'xx' }, offered, 'nl')).toBe('nl')
})

test.each([
  ['de-AT', ['de-AT', 'de-Latn', 'de']],
  ['zh-CN', ['zh-CN', 'zh-Hans', 'zh']],
  ['zh-Hant-HK', ['zh-Hant-HK', 'zh-Hant', 'zh']],
  ['not a culture', ['not a culture']],
])('the parents of %s are its script and its language', (culture, chain) => {
  expect(cultureChain(culture)).toEqual(chain)
})
