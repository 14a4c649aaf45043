import { expect, test } from 'vitest'
import { describeCulture } from './current-culture.js'

test.each([
  ['de', 'Deutsch', 'dd.MM.yyyy', 'HH:mm', '.'],
  ['fr', 'Français', 'dd/MM/yyyy', 'HH:mm', '/'],
  ['es', 'Español', 'd/M/yyyy', 'H:mm', '/'],
  ['tr', 'Türkçe', 'd.MM.yyyy', 'HH:mm', '.'],
  ['zh-Hans', '中文（简体）', 'yyyy/M/d', 'HH:mm', '/'],
  ['en-GB', 'English (United Kingdom)', 'dd/MM/yyyy', 'HH:mm', '/'],
  ['ar', 'العربية', 'd/M/yyyy', 'h:mm tt', '/'],
])('%s is called %s and writes dates as %s, times as %s', (culture, name, date, time, separator) => {
  const { nativeName, dateTimeFormat } = describeCulture(culture) ?? {}
  expect([
    nativeName,
    dateTimeFormat?.shortDatePattern,
    dateTimeFormat?.shortTimePattern,
    dateTimeFormat?.dateSeparator,
  ]).toEqual([name, date, time, separator])
})

test('words between the parts of a date are quoted', () => {
  expect(describeCulture('es')?.dateTimeFormat.dateTimeFormatLong).toBe("dddd, d 'de' MMMM 'de' yyyy")
})

test('the direction is that of the usual script', () => {
  expect(['ar', 'he', 'fa', 'en', 'uz-Arab'].map((name) => describeCulture(name)?.isRightToLeft)).toEqual([
    true,
    true,
    true,
    false,
    true,
  ])
})

test('the name is written in the canonical way', () => {
  expect(describeCulture('ZH-hans-cn')?.cultureName).toBe('zh-Hans-CN')
})

test.each(['', 'x', 'not a culture', 'qq', 'en_', '../en', 'de-'])('%j is no culture', (name) => {
  expect(describeCulture(name)).toBeUndefined()
})
