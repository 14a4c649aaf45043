import { defineConfig } from 'vite'

/** Sources of the repository: importing one does nothing but declare things, so what is not used stays out of the bundle. */
const ours = /\/(framework|modules|proxies)\//

/** What makes JSON schemas of a contract, which the browser never does: 5 kB of the first load. Zod calls it when a schema is made, so it does nothing instead of missing. */
const withoutJsonSchemas = {
  name: 'keel:without-json-schemas',
  transform: {
    filter: { id: /\/zod\/v4\/core\/(json-schema-processors|to-json-schema)\.js$/ },
    handler: (code) =>
      [...code.matchAll(/^export (?:const|function) (\w+)/gm)]
        .map(([, name]) => `export const ${name} = () => undefined`)
        .join('\n'),
  },
}

export default defineConfig({
  plugins: [withoutJsonSchemas],
  oxc: {
    target: 'es2022',
    jsx: { runtime: 'automatic' },
    decorator: { legacy: true, emitDecoratorMetadata: false },
    assumptions: { setPublicClassFields: true },
    typescript: { removeClassFieldsWithoutInitializer: true },
  },
  resolve: {
    // `source`: packages of the workspace are read as TypeScript, so that all proxies share one copy of the contracts.
    conditions: ['source', 'module', 'browser', 'development|production'],
    dedupe: ['react', 'react-dom', '@tanstack/react-query', 'zod'],
  },
  build: {
    target: 'es2022',
    outDir: 'dist',
    emptyOutDir: true,
    // Nothing is inlined: the policy of the host allows no data in scripts.
    assetsInlineLimit: 0,
    modulePreload: {
      polyfill: false,
      // The lists of what each page needs would be 3 kB of the first load: the router fetches pages when a link is pointed at.
      resolveDependencies: (_page, files, { hostId }) => (hostId.includes('app-') ? [] : files),
    },
    rolldownOptions: {
      treeshake: { moduleSideEffects: (id) => !ours.test(id.replace(/^.*\/node_modules\//, '')) },
      // "use client" is for servers that render React.
      onLog: (level, log, handle) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && handle(level, log),
    },
  },
})
