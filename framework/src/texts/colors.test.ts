import { expect, test } from 'vitest'
import { contrast, readableOn, textOn } from './colors.js'

test('black on white has the greatest contrast, a colour on itself the least', () => {
  expect([contrast('#000000', '#ffffff'), contrast('#808080', '#808080')]).toEqual([21, 1])
})

test.each([
  ['#0b5cad', '#ffffff'],
  ['#7db8f5', '#000000'],
  ['#ffff00', '#000000'],
])('on %s text is %s', (background, text) => {
  expect(textOn(background)).toBe(text)
})

test.each([
  ['#ffffff', '#0b5cad'],
  ['#18212b', '#7db8f5'],
])('on %s the colour %s stays as it is', (background, color) => {
  expect(readableOn(background, color)).toBe(color)
})

test.each([
  ['#ffffff', '#ffee00'],
  ['#18212b', '#200020'],
  ['#ffffff', '#ffffff'],
])('on %s a colour such as %s becomes one that can be read', (background, color) => {
  const shown = readableOn(background, color)
  expect(shown).not.toBe(color)
  expect(contrast(shown, background)).toBeGreaterThanOrEqual(4.5)
})
