import type { Application } from './application.js'
import { type Class, type Constructor, contractOf, providedBy } from './module.js'
import { StartupError } from './startup-error.js'

/**
 * Walks the constructors of everything the container is to make, before it makes anything: a parameter that nothing provides or a circle of
 * constructors stops the start with the whole chain.
 */
export function checkDependencies(application: Application): void {
  const makers = new Map<Class, Constructor>()
  const owner = new Map<Class, string>()
  for (const { name, options } of application.modules) {
    for (const service of [
      ...(options.services ?? []),
      ...(options.seeds ?? []),
      ...(options.diagnoses ?? []),
    ]) {
      owner.set(service, name)
      for (const token of [service, providedBy(service), contractOf(service)])
        if (token) makers.set(token, service)
    }
  }
  const done = new Set<Constructor>()
  for (const service of new Set(makers.values())) visit(service, [])

  function visit(service: Constructor, path: readonly Constructor[]): void {
    if (path.includes(service)) {
      const circle = [...path.slice(path.indexOf(service)), service].map((step) => step.name).join(' → ')
      throw new StartupError(
        `Services need each other in a circle: ${circle}. Move what both need into a third one.`,
      )
    }
    if (done.has(service)) return
    const chain = [...path, service]
    for (const [index, token] of parametersOf(service).entries()) {
      const maker = token && makers.get(token)
      if (maker) visit(maker, chain)
      else if (!token || token === Object || !application.container.isBound(token))
        throw unbound(chain, token, index)
    }
    done.add(service)
  }

  function unbound(chain: readonly Constructor[], token: Class | undefined, index: number): StartupError {
    const path = chain.map((step) => `${step.name} (${owner.get(step) ?? 'framework'})`).join(' → ')
    if (!token || token === Object) {
      return new StartupError(
        `Parameter ${index + 1} of ${chain.at(-1)?.name} has no class that can be injected: give it a class as type, import that class without \`import type\`, and break import circles.\n  ${path}`,
      )
    }
    const cure =
      'contract' in token
        ? `add the module that implements it to dependsOn of the host, or the contract to remotes`
        : `list a class that provides it in services of a module`
    return new StartupError(`Nothing provides ${token.name}: ${cure}.\n  ${path} → ${token.name}`)
  }
}

/** The classes of a constructor's parameters, those of the nearest constructor that has its own. */
export function parametersOf(service: Constructor): readonly (Class | undefined)[] {
  for (
    let cls: object = service;
    cls && cls !== Function.prototype;
    cls = Object.getPrototypeOf(cls) as object
  ) {
    const own = Reflect.getOwnMetadata('design:paramtypes', cls) as Class[] | undefined
    if (own) return own
  }
  return []
}
