import { readFileSync } from 'node:fs'
import type { StagedFiles } from './staged-files.js'
import type { TemplateValues } from './templates.js'

/** What the files that commands write have to know of the repository that they stand in. */
export interface Repository {
  /** In front of the names of its packages: `@keel`, `@acme`. */
  readonly scope: string
  /** Of its packages. */
  readonly version: string
  /** False in Keel's own repository, which holds the framework. */
  readonly isSolution: boolean
}

/** Reads it from the package of the API host. Throws when there is none. */
export function readRepository(files: StagedFiles): Repository {
  const { name, version } = JSON.parse(files.read('hosts/api/package.json')) as {
    name: string
    version: string
  }
  return {
    scope: name.split('/')[0] ?? '',
    version,
    isSolution: files.find('framework/package.json') === undefined,
  }
}

/** The version of the framework that writes the files. */
export function frameworkVersion(): string {
  const file = new URL('../../package.json', import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}

/** The values that templates of packages name. */
export function repositoryValues({ scope, version, isSolution }: Repository): TemplateValues {
  const references = isSolution ? [] : ['../../framework', '../../modules/identity']
  return {
    scope,
    version,
    frameworkVersion: frameworkVersion(),
    licence: isSolution ? 'UNLICENSED' : 'MIT',
    publishing: isSolution ? '"private": true,' : '"publishConfig": {\n  "access": "public"\n},',
    references: references.map((path) => `{ "path": "${path}" }`).join(',\n'),
  }
}
