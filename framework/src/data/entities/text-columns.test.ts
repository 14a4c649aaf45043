import { DataType } from 'sequelize-typescript'
import { expect, test } from 'vitest'
import type { ColumnMeta } from './entity.js'
import { PlatformTimestamp } from './entity-bases.js'
import { jsonString, textToJson } from './text-columns.js'

const write = (type: unknown, text: string): unknown => JSON.parse(textToJson({ type } as ColumnMeta)(text))

test.each([
  ['UUID', DataType.UUID, '3f2504e0-4f89-41d3-9a0c-0305e82c3301', '3f2504e0-4f89-41d3-9a0c-0305e82c3301'],
  ['date', DataType.DATEONLY, '2026-11-21', '2026-11-21'],
  ['boolean', DataType.BOOLEAN, 't', true],
  ['boolean', DataType.BOOLEAN, 'f', false],
  ['boolean of a JSON object', DataType.BOOLEAN, 'true', true],
  ['integer', DataType.INTEGER, '-5', -5],
  ['smallint', DataType.SMALLINT, '7', 7],
  ['decimal', DataType.DECIMAL(18, 2), '12.50', 12.5],
  ['decimal', DataType.DECIMAL(18, 2), 'NaN', null],
  ['double', DataType.DOUBLE, '1e-05', 0.00001],
  ['double', DataType.DOUBLE, '-12.25', -12.25],
  ['double', DataType.DOUBLE, 'NaN', null],
  ['double', DataType.DOUBLE, '-Infinity', null],
  ['jsonb', DataType.JSONB, '{"a": [1, null]}', { a: [1, null] }],
  ['text', DataType.TEXT, 'a"b\\c\nd\u0001é€😀\u2028', 'a"b\\c\nd\u0001é€😀\u2028'],
  ['varchar', DataType.STRING(10), '', ''],
  ['varchar', DataType.STRING(10), 'null', 'null'],
  ['timestamp with zone', DataType.DATE, '2026-11-21 10:00:00.5+00', '2026-11-21T10:00:00.5Z'],
  ['timestamp with zone', DataType.DATE, '2026-11-21 10:00:00+00', '2026-11-21T10:00:00Z'],
  ['timestamp with zone', DataType.DATE, '0001-01-01 00:00:00+00', '0001-01-01T00:00:00Z'],
  ['infinite timestamp', DataType.DATE, 'infinity', '9999-12-31T23:59:59.999999Z'],
  ['infinite timestamp', DataType.DATE, '-infinity', '0001-01-01T00:00:00Z'],
  ['timestamp before Christ', DataType.DATE, '0044-03-15 10:00:00.5+00 BC', '0001-01-01T00:00:00Z'],
  ['timestamp before Christ', DataType.DATE, '0001-03-15 10:00:00+00 BC', '0001-01-01T00:00:00Z'],
  ['timestamp far away', DataType.DATE, '12026-03-15 10:00:00+00', '9999-12-31T23:59:59.999999Z'],
  ['infinite date', DataType.DATEONLY, 'infinity', '9999-12-31'],
  ['infinite date', DataType.DATEONLY, '-infinity', '0001-01-01'],
  ['date before Christ', DataType.DATEONLY, '0044-03-15 BC', '0001-01-01'],
  ['date far away', DataType.DATEONLY, '12026-03-15', '9999-12-31'],
  ['timestamp without zone', PlatformTimestamp, '2026-11-21 10:00:00.123456', '2026-11-21T10:00:00.123456Z'],
])('a %s is written as JSON', (_kind, type, text, value) => {
  expect(write(type, text)).toEqual(value)
})

test('a text without anything special is only quoted', () => {
  expect(jsonString('Rotterdam / Zürich')).toBe('"Rotterdam / Zürich"')
})
