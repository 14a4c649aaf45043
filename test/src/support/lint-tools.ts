import { fileURLToPath } from 'node:url'

/** Where the linter of this repository is installed: the tests' set-up sees to that. */
export const lintPackages = fileURLToPath(new URL('../../../.ci/lint/node_modules', import.meta.url))

/** The linter, for shells. */
export const linter = `node '${lintPackages}/@biomejs/biome/bin/biome'`
