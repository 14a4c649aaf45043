import { setFlagsFromString } from 'node:v8'
import { defaultServerConditions } from 'vite'
import { defineConfig } from 'vitest/config'

// For the workers, which start after this file was read. Most objects of a test are garbage before 64 MB are full: nothing copies them.
for (const bound of ['min', 'max']) setFlagsFromString(`--${bound}-semi-space-size=64`)

// `source`: packages of the workspace are read as TypeScript, so that tests need no build.
// `module` is a word of bundlers: Node, which loads the libraries here, does not know it, nor always what it leads to.
const conditions = ['source', ...defaultServerConditions.filter((condition) => condition !== 'module')]

export default defineConfig({
  // Vite looks for these flags in the tsconfig.json that includes a file, and the root's includes none.
  oxc: {
    // Below ES2022, because oxc forgets the decorators of static fields when it turns these into static blocks.
    target: 'es2021',
    decorator: { legacy: true, emitDecoratorMetadata: true },
    assumptions: { setPublicClassFields: true },
    typescript: { removeClassFieldsWithoutInitializer: true },
  },
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    // For hosts that are started as processes of their own: left to themselves they are in Production.
    env: { KEEL_ENVIRONMENT: 'Development' },
    // Seconds of CPU instead of half a minute; so tests share modules and registries, and mock none of them.
    pool: 'threads',
    isolate: false,
    // End-to-end tests wait for other processes half of their time; on two cores the default is one worker.
    maxWorkers: 2,
    // Generous, because a test that starts processes waits for whatever else the machine is doing. In the long form tests do up to fifty times as much.
    testTimeout: process.env.KEEL_TEST_LONG ? 1_800_000 : 30_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['{framework,migrator}/src/**/*.test.ts', '{modules,hosts,proxies}/*/src/**/*.test.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/src/**/*.test.ts'],
          globalSetup: ['test/src/support/global-setup.ts'],
          setupFiles: [
            'test/src/support/documented-traffic.setup.ts',
            'test/src/support/failed-statements.setup.ts',
          ],
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'third-party',
          include: ['test/third-party/src/**/*.test.ts'],
          globalSetup: ['test/third-party/src/install-packages.ts', 'test/src/support/global-setup.ts'],
          setupFiles: [
            'test/third-party/src/packages.setup.ts',
            'test/src/support/documented-traffic.setup.ts',
            'test/src/support/failed-statements.setup.ts',
          ],
          hookTimeout: 60_000,
        },
      },
    ],
  },
})
