import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'vitest'
import { type CodeEntityType, codeEntities, codeEntityNames } from './code-entities.js'
import { countries } from './countries.js'
import { type PortRow, ports } from './ports.js'
import { unitsOfMeasure } from './units.js'

const texts: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(new URL('../../../localization/en.json', import.meta.url), 'utf8'),
)

const facts: [fact: string, actual: unknown, expected: unknown][] = [
  ['ISO 3166-1 has 249 countries', countries.length, 249],
  ['27 of them are in the European Union', countries.filter((country) => country.isEuMember).length, 27],
  ['only Antarctica has no currency', codes(countries.filter((country) => !country.currencyCode)), ['AQ']],
  ['we curate 217 ports', ports.length, 217],
  ['the 153 sea ports of the list, and Guangzhou', ports.filter((port) => port.isSeaport).length, 154],
  ['71 airports', ports.filter((port) => port.isAirport).length, 71],
  [
    'eight ports are both',
    unLocodes(ports.filter((port) => port.isSeaport && port.isAirport)),
    'CNCAN DEHAM ESBCN IEDUB PHMNL SGSIN THBKK TWTPE',
  ],
  [
    'every port has a known country',
    ports.filter((port) => !countries.some(({ id }) => id === port.countryId)),
    [],
  ],
  [
    'every airport has an IATA code, and nobody else',
    ports.filter((port) => port.isAirport !== (port.iataCode !== null)),
    [],
  ],
  ['Manchester is MAN, not MNC', ports.find((port) => port.unLocode === 'GBMNC')?.iataCode, 'MAN'],
  [
    'imports leave the codes alone that carriers use',
    unLocodes(ports.filter((port) => port.isOverridden)),
    'CNCAN CNDLC CNNGB CNSHA CNTAO CNXMN CNYTN',
  ],
  ['all time zones are known', ports.filter((port) => !isTimeZone(port.timeZone)), []],
  ['port names need no diacritics', ports.filter((port) => !/^[\x20-\x7e]+$/.test(port.name)), []],
  [
    'the English texts of code entities are the names that are stored',
    [...codeEntityNames.values()].filter(({ key, name }) => texts[key] !== name),
    [],
  ],
  ['the first modes', codesOf('TransportMode'), 'Sea Rail Road Air Courier Multimodal InlandWater'],
  ['container modes', codesOf('ContainerMode'), 'FCL LCL BCN BBK BLK LQD ROR LSE ULD FTL LTL'],
  ['eleven Incoterms', codesOf('Incoterm').split(' ').length, 11],
  ['thirty package types', codesOf('PackageType').split(' ').length, 30],
  ['23 document types', codesOf('DocumentType').split(' ').length, 23],
  ['eleven exception types', codesOf('ExceptionType').split(' ').length, 11],
  ['every row of units is understood', unitsOfMeasure.filter(({ code, name }) => !code || !name), []],
  [
    'the base units of mass, volume, length, count, temperature and area',
    codes(unitsOfMeasure.filter(({ factorToBase }) => factorToBase === '1').filter(firstOfItsQuantity)),
    ['KGM', 'MTQ', 'MTR', 'C62', 'CEL', 'MTK'],
  ],
  [
    'temperatures alone have an offset',
    codes(unitsOfMeasure.filter(({ offsetToBase }) => offsetToBase !== '0')),
    ['KEL', 'FAH'],
  ],
]

test.each(facts)('%s', (_, actual, expected) => assert.deepEqual(actual, expected))

test('ids and codes are unique', () => {
  for (const keys of [
    countries.map((country) => country.id),
    countries.map((country) => country.alpha3Code),
    countries.map((country) => country.numericCode),
    ports.map((port) => port.id),
    ports.map((port) => port.unLocode),
    codeEntities.map((entity) => entity.id),
    unitsOfMeasure.map((unit) => unit.code),
  ]) {
    assert.equal(new Set(keys).size, keys.length)
  }
})

test('container modes name only transport modes we have', () => {
  const modes = new Set(codesOf('TransportMode').split(' '))
  const unknown = codeEntities
    .flatMap((entity) => entity.attributes?.modes ?? [])
    .filter((mode) => !modes.has(mode))
  assert.deepEqual(unknown, [])
})

test('Hamburg is one row with the coordinates of the sea port', () => {
  const { id, countryId, ...hamburg } = ports.find((port) => port.unLocode === 'DEHAM') as PortRow
  assert.deepEqual(hamburg, {
    unLocode: 'DEHAM',
    name: 'Hamburg',
    nameWoDiacritics: 'Hamburg',
    countryCode: 'DE',
    iataCode: 'HAM',
    functionCodes: '1--4----',
    isSeaport: true,
    isRailTerminal: false,
    isRoadTerminal: false,
    isAirport: true,
    isInlandDepot: false,
    latitude: 53.54,
    longitude: 9.98,
    coordinateSource: 1,
    timeZone: 'Europe/Berlin',
    isOverridden: false,
  })
})

/** True for a row behind which no other one of its quantity stands. */
function firstOfItsQuantity(
  { quantity }: { readonly quantity: number },
  index: number,
  rows: readonly { readonly quantity: number }[],
): boolean {
  return rows.findIndex((row) => row.quantity === quantity) === index
}

function codes(rows: { code: string }[]): string[] {
  return rows.map((row) => row.code)
}

function codesOf(type: CodeEntityType): string {
  return codes(codeEntities.filter((entity) => entity.type === type)).join(' ')
}

function unLocodes(rows: PortRow[]): string {
  return rows
    .map((port) => port.unLocode)
    .sort()
    .join(' ')
}

function isTimeZone(name: string): boolean {
  new Intl.DateTimeFormat('en', { timeZone: name })
  return true
}
