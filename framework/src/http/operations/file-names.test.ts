import { expect, test } from 'vitest'
import { safeFileName } from './file-names.js'

test('points and blanks at the end of a name are left out, however many stand in it', () => {
  expect(safeFileName('C:\\temp\\invoice.pdf. . ')).toBe('invoice.pdf')
  const before = performance.now()
  expect(safeFileName(`${'. '.repeat(50_000)}x`)).toHaveLength(255)
  expect(performance.now() - before).toBeLessThan(500)
})
