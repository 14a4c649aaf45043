import { defineConfig } from 'vitest/config'

const decorators = {
  decorator: { legacy: true, emitDecoratorMetadata: true },
  assumptions: { setPublicClassFields: true },
  typescript: { removeClassFieldsWithoutInitializer: true },
}
const shared = {
  // vite 8 does not read these from a root tsconfig that lists no files.
  oxc: decorators,
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
} as const

export default defineConfig({
  ...shared,
  test: {
    pool: 'threads',
    isolate: false,
    maxWorkers: 2,
    projects: [
      {
        ...shared,
        test: {
          name: 'unit',
          include: ['{framework,migrator}/src/**/*.test.ts', '{modules,hosts,proxies}/*/src/**/*.test.ts'],
          testTimeout: 30_000,
        },
      },
      {
        ...shared,
        test: {
          name: 'e2e',
          include: ['test/src/**/*.test.ts'],
          globalSetup: ['test/src/global-setup.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
})
