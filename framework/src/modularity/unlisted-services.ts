import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { contractOf } from './injectable.js'
import type { LoadedModule } from './loaded-module.js'
import { fileOf, placeIn, programFilesBelow } from './source-place.js'

interface WrittenService {
  readonly name: string
  readonly contract: string
  readonly isDecorated: boolean
  readonly file: string
}

/** The services that the folders of modules hold; a process with several applications reads them once. */
const written = new Map<string, readonly WrittenService[]>()

/**
 * Finds services in the `application` folders of modules that are never called: those that no module lists,
 * and those that are listed without being bound to their contract. Returns messages with place and cure. It
 * reads the modules' files: for Development.
 */
export function unreachableServices(modules: readonly LoadedModule[]): string[] {
  const listed = new Map(
    modules.flatMap(({ options }) => (options.services ?? []).map((service) => [service.name, service])),
  )
  return modules.flatMap((module) => {
    const file = fileOf(module.type)
    if (!file) return []
    return servicesIn(join(dirname(file), 'application')).flatMap((service) => {
      const place = () => `\n  at ${placeIn(service.file, service.name)}`
      const known = listed.get(service.name)
      if (!known && service.isDecorated && !isNamedByModule(dirname(file), service.name))
        return `${service.name} implements ${service.contract}, but no module lists it: add it to services of ${module.type.name} (${placeIn(file, module.type.name)}).${place()}`
      if (known && !service.isDecorated && !contractOf(known))
        return `${service.name} (${module.name}) implements ${service.contract}, but is not bound to it: write @AutoApiController(${service.contract}) above the class.${place()}`
      return []
    })
  })
}

function servicesIn(folder: string): readonly WrittenService[] {
  let services = written.get(folder)
  if (!services) {
    services = programFilesBelow(folder).flatMap(servicesOf)
    written.set(folder, services)
  }
  return services
}

/** A class with its decorators, what it extends and what it implements; compiled programs have lost these. */
const declaration =
  /((?:^@\w+\([^\n]*\)\n)*)^export (?:abstract )?class (\w+)((?:\s+extends\s+\w+(?:\([^{]*?\))?)?(?:\s+implements\s+[\w\s,]+)?)\s*\{/gm

function servicesOf(file: string): WrittenService[] {
  if (!file.endsWith('.ts')) return []
  return [...readFileSync(file, 'utf8').matchAll(declaration)].flatMap(
    ([, decorators = '', name = '', heritage = '']) => {
      const bound = /@AutoApiController\((\w+)\)/.exec(decorators)?.[1]
      const contract =
        bound ??
        /\bextends CrudService\(\s*(\w+AppService)\b|\bimplements\b[^{]*?\b(\w+AppService)\b/.exec(heritage)
      if (!contract) return []
      const meant = typeof contract === 'string' ? contract : (contract[1] ?? contract[2] ?? '')
      return [{ name, contract: meant, isDecorated: bound !== undefined, file }]
    },
  )
}

/** True when another module of the package, which this host may leave out, lists a class. */
function isNamedByModule(folder: string, name: string): boolean {
  const named = new RegExp(`\\b${name}\\b`)
  return programFilesBelow(folder)
    .filter((file) => /\.module\.[jt]s$/.test(file))
    .some((file) =>
      named.test(readFileSync(file, 'utf8').replace(/^import\b[\s\S]*?from\s*['"][^'"]+['"];?$/gm, '')),
    )
}
