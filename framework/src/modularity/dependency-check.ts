import type { Container } from 'inversify'
import type { AnyAppService } from '../contracts/index.js'
import type { Class, Constructor } from './class.js'
import { type Dependency, dependenciesOf, nameOf, type Token, withBases } from './dependencies.js'
import { contractOf, listsOf, providedBy } from './injectable.js'
import type { ListedService } from './listed-services.js'
import type { LoadedModule } from './loaded-module.js'
import { modulesProviding } from './provider-search.js'
import type { RequestScope } from './request-scope.js'
import { atPlaceOf, isDecorated } from './source-place.js'
import { StartupError } from './startup-error.js'

/** The services that modules list, and the tokens that are bound. */
interface Composition {
  readonly modules: readonly LoadedModule[]
  readonly services: readonly ListedService[]
  readonly container: Container
  readonly requestScope: RequestScope
}

/**
 * Walks the constructors of everything the container is to make, before it makes anything: a parameter that
 * nothing provides, a circle of constructors, or a class made once that asks for one of each request stops
 * the start with the whole chain.
 */
export function checkDependencies({ modules, services, container, requestScope }: Composition): void {
  const makers = new Map<Token, Constructor[]>()
  const owner = new Map<Class, LoadedModule>()
  for (const module of modules) {
    const { seeds = [], diagnoses = [], controllers = [] } = module.options
    const active = services.filter((each) => each.module === module).map(({ service }) => service)
    for (const service of [
      ...active,
      ...seeds,
      ...diagnoses,
      ...controllers.filter((type) => container.isBound(type)),
    ]) {
      owner.set(service, module)
      for (const token of [service, providedBy(service), contractOf(service), ...listsOf(service)])
        if (token) makers.set(token, [...(makers.get(token) ?? []), service])
    }
  }
  const done = new Set<Constructor>()
  for (const service of new Set([...makers.values()].flat())) visit(service, [])

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
    for (const dependency of dependenciesOf(service)) {
      const { token, isOptional } = dependency
      if (!token || !(isOptional || makers.has(token) || container.isBound(token)))
        throw unbound(chain, dependency)
      for (const made of [token, ...(makers.get(token) ?? [])])
        if (requestScope.has(made) && !requestScope.has(service)) throw captive(service, made)
      for (const maker of makers.get(token) ?? []) visit(maker, chain)
    }
    done.add(service)
  }

  function unbound(chain: readonly Constructor[], { token, index }: Dependency): StartupError {
    const path = chain.map((step) => `${step.name} (${owner.get(step)?.name ?? 'framework'})`).join(' → ')
    const last = chain.at(-1) as Constructor
    if (!token) {
      const name = index === undefined ? undefined : parameterName(last, index)
      const place = index === undefined ? 'A member' : `Parameter ${index + 1}${name ? ` (${name})` : ''}`
      return new StartupError(
        `${place} of ${last.name} has no class that can be injected: give it a class as type, import that class without \`import type\`, and break import circles.\n  ${path}${at(last)}`,
      )
    }
    const isOfContract = isContract(token)
    const providing =
      typeof token === 'function' ? modulesProviding(token as Class, modules[0]?.type, last) : []
    const cure = providing.length
      ? `add ${providing.join(' or ')} to dependsOn of ${owner.get(last)?.type.name ?? 'the host'}${isOfContract ? ', or the contract to remotes' : ''}`
      : isOfContract
        ? `add the module that implements it to dependsOn of the host, or the contract to remotes`
        : `list a class that provides it in services of a module`
    return new StartupError(
      `Nothing provides ${nameOf(token)}: ${cure}.\n  ${path} → ${nameOf(token)}${at(last)}`,
    )
  }

  function captive(service: Constructor, made: Token): StartupError {
    return new StartupError(
      `${service.name} is made once, and asks for ${nameOf(made)}, which is made for every request: write @Injectable({ scope: 'request' }) above ${service.name}, or ask the application for ${nameOf(made)} while a request is answered.${at(service)}`,
    )
  }

  function at(service: Constructor): string {
    return atPlaceOf(service, 'constructor', owner.get(service)?.type)
  }
}

/** The contracts that services or seeders ask for, and that nothing provides: what implements them is no part of this application. */
export function missingContracts({
  modules,
  services,
  container,
}: Omit<Composition, 'requestScope'>): readonly AnyAppService[] {
  const seeders = modules.flatMap(({ options }) => options.seeds ?? [])
  const made = [...services.map(({ service }) => service), ...seeders]
  const tokens = new Set(made.flatMap((service) => dependenciesOf(service)).map(({ token }) => token))
  return [...tokens].filter(isContract).filter((contract) => !container.isBound(contract))
}

/**
 * Refuses a class whose constructor has parameters that the compiler wrote no classes of: it would be made
 * with nothing.
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

function isContract(token: Token | undefined): token is AnyAppService {
  return typeof token === 'function' && 'contract' in token
}

/** The name of a constructor's parameter, as its text says it; undefined where that has none. */
function parameterName(service: Constructor, index: number): string | undefined {
  const [, list = ''] = /\bconstructor\s*\(([^)]*)\)/.exec(String(service)) ?? []
  return /^\s*(\w+)/.exec(list.split(',')[index] ?? '')?.[1]
}
