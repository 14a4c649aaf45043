import type { Container } from 'inversify'
import type { Class, Constructor } from './class.js'
import { contractOf, providedBy } from './injectable.js'
import type { LoadedModule } from './loaded-module.js'
import { modulesProviding } from './provider-search.js'
import { atPlaceOf, isDecorated } from './source-place.js'
import { StartupError } from './startup-error.js'

/**
 * Walks the constructors of everything the container is to make, before it makes anything: a parameter that nothing provides or a circle of
 * constructors stops the start with the whole chain.
 */
export function checkDependencies(
  modules: readonly LoadedModule[],
  container: Pick<Container, 'isBound'>,
): void {
  const makers = new Map<Class, Constructor>()
  const owner = new Map<Class, LoadedModule>()
  for (const module of modules) {
    const { services = [], seeds = [], diagnoses = [] } = module.options
    for (const service of [...services, ...seeds, ...diagnoses]) {
      owner.set(service, module)
      for (const token of [service, providedBy(service), contractOf(service)])
        if (token) makers.set(token, service)
    }
  }
  const done = new Set<Constructor>()
  for (const service of new Set(makers.values())) visit(service, [])

  function visit(service: Constructor, path: readonly Constructor[]): void {
    if (path.includes(service)) {
      const circle = [...path.slice(path.indexOf(service)), service]
      throw new StartupError(
        `Services need each other in a circle: ${circle.map((step) => step.name).join(' → ')}. Move what both need into a third one.` +
          circle.slice(0, -1).map(at).join(''),
      )
    }
    if (done.has(service)) return
    const chain = [...path, service]
    for (const [index, token] of parametersOf(service).entries()) {
      const maker = token && makers.get(token)
      if (maker) visit(maker, chain)
      else if (!token || token === Object || !container.isBound(token)) throw unbound(chain, token, index)
    }
    done.add(service)
  }

  function unbound(chain: readonly Constructor[], token: Class | undefined, index: number): StartupError {
    const path = chain.map((step) => `${step.name} (${owner.get(step)?.name ?? 'framework'})`).join(' → ')
    const last = chain.at(-1) as Constructor
    const name = parameterName(last, index)
    if (!token || token === Object) {
      return new StartupError(
        `Parameter ${index + 1}${name ? ` (${name})` : ''} of ${last.name} has no class that can be injected: give it a class as type, import that class without \`import type\`, and break import circles.\n  ${path}${at(last)}`,
      )
    }
    const providing = modulesProviding(token, modules[0]?.type, last)
    const cure = providing.length
      ? `add ${providing.join(' or ')} to dependsOn of ${owner.get(last)?.type.name ?? 'the host'}${'contract' in token ? ', or the contract to remotes' : ''}`
      : 'contract' in token
        ? `add the module that implements it to dependsOn of the host, or the contract to remotes`
        : `list a class that provides it in services of a module`
    return new StartupError(`Nothing provides ${token.name}: ${cure}.\n  ${path} → ${token.name}${at(last)}`)
  }

  function at(service: Constructor): string {
    return atPlaceOf(service, 'constructor', owner.get(service)?.type)
  }
}

/** The classes of a constructor's parameters, those of the nearest constructor that has its own. */
export function parametersOf(service: Constructor): readonly (Class | undefined)[] {
  for (const cls of withBases(service)) {
    const own = Reflect.getOwnMetadata('design:paramtypes', cls) as Class[] | undefined
    if (own) return own
  }
  return []
}

/**
 * Refuses a class whose constructor has parameters that the compiler wrote no classes of: it would be made with nothing.
 * @param module that lists it
 */
export function refuseUnknownParameters(service: Constructor, module: LoadedModule): void {
  for (const cls of withBases(service)) {
    if (Reflect.hasOwnMetadata('design:paramtypes', cls)) return
    const { length: count, name } = cls as Constructor
    if (count === 0) continue
    const takes = `The constructor of ${name} (${module.name}) takes ${count} ${count === 1 ? 'parameter' : 'parameters'}`
    throw new StartupError(
      (isDecorated(service) || isDecorated(cls)
        ? `${takes}, and the compiler did not write down their classes: set "experimentalDecorators" and "emitDecoratorMetadata" to true in tsconfig.json. Programs that only strip types (node --experimental-strip-types, esbuild, tsx) never write them.`
        : `${takes}, and no decorator makes the compiler write down their classes: write @Injectable() above the class.`) +
        atPlaceOf(cls as Constructor, undefined, module.type),
    )
  }
}

/** A class and those that it extends. */
function* withBases(service: Constructor): Generator<object> {
  for (
    let cls: object = service;
    cls && cls !== Function.prototype;
    cls = Object.getPrototypeOf(cls) as object
  )
    yield cls
}

/** The name of a constructor's parameter, as its text says it; undefined where that has none. */
function parameterName(service: Constructor, index: number): string | undefined {
  const [, list = ''] = /\bconstructor\s*\(([^)]*)\)/.exec(String(service)) ?? []
  return /^\s*(\w+)/.exec(list.split(',')[index] ?? '')?.[1]
}
