import { defineConfig } from 'vitest/config'
import base from '../../../vitest.config.mts'

// One file, on the databases of the run that starts this one.
export default defineConfig({
  ...base,
  root: new URL('../../..', import.meta.url).pathname,
  test: {
    ...base.test,
    projects: undefined,
    include: ['test/src/support/failing-statement.ts'],
    setupFiles: ['test/src/support/failed-statements.setup.ts'],
    hookTimeout: 60_000,
  },
})
