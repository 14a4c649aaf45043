import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'

test('docs/configuration.md says what the sections in the code say', () => {
  const script = new URL('../../../docs/write-configuration.mjs', import.meta.url)
  expect(() => execFileSync(process.execPath, [script.pathname, '--check'])).not.toThrow()
})
