import { Container } from 'inversify'
import { ambientOwner } from './ambient.js'
import type { Constructor } from './class.js'
import type { Token } from './dependencies.js'

/**
 * The services that exist once per request: a child container, created when the request first resolves one of
 * them. Requests that resolve none cost nothing. Outside of HTTP the scope is a job, an event or a seeder.
 */
export class RequestScope {
  private readonly bindings = new Map<Token, (container: Container) => void>()
  private readonly containers = new WeakMap<object, Container>()

  /** @param root holds everything that is made once for the whole application */
  constructor(private readonly root: Container) {}

  /** Has a class made once for every request. */
  add(service: Constructor): void {
    this.bind(service, (container) => container.bind(service).toSelf().inSingletonScope())
  }

  /** Gives each request a value of its own, made when it is first asked for. */
  provide<T>(token: Token, make: (container: Container) => T): void {
    this.bind(token, (container) => {
      container
        .bind<T>(token)
        .toDynamicValue(() => make(container))
        .inSingletonScope()
    })
  }

  /** True when the container makes one instance of a token for each request. */
  has(token: Token): boolean {
    return this.bindings.has(token)
  }

  /**
   * The container of the request at hand; what it does not have comes from the application's. Throws outside
   * of any request.
   */
  get container(): Container {
    const owner = ambientOwner()
    if (!owner)
      throw new Error(
        'No request is at hand: what is made once for every request exists inside of one alone.',
      )
    let container = this.containers.get(owner)
    if (!container) {
      container = this.root.createChild({ defaultScope: 'Singleton', skipBaseClassChecks: true }) as Container
      for (const bind of this.bindings.values()) bind(container)
      this.containers.set(owner, container)
    }
    return container
  }

  private bind(token: Token, bind: (container: Container) => void): void {
    this.bindings.set(token, bind)
    if (this.root.isBound(token)) this.root.unbind(token)
    this.root
      .bind(token)
      .toDynamicValue(() => this.container.get(token))
      .inTransientScope()
  }
}
