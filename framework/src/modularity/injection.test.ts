import { inject, injectable, postConstruct, preDestroy } from 'inversify'
import { expect, test } from 'vitest'
import { AppService, op, remoteService, z } from '../contracts/index.js'
import { authorization } from '../security/authorization.js'
import { AllowAnonymous, Authenticated } from '../security/guards.js'
import { withAmbient } from './ambient.js'
import { type Application, createApplication, type ModuleContext } from './application.js'
import { Configuration } from './configuration.js'
import { dependenciesOf } from './dependencies.js'
import { AutoApiController, InjectAll, Injectable, Provides, Replaces } from './injectable.js'
import { KeelModule, Module, type ModuleOptions } from './module.js'
import { anonymous } from './principal.js'

abstract class GreetingAppService extends AppService(remoteService('Hall', 'hall'), 'GreetingAppService', {
  greet: op().returns(z.string()),
}) {}
abstract class Words {
  abstract hello(): string
}
@Provides(Words)
class EnglishWords extends Words {
  hello = () => 'hello'
}
@AutoApiController(GreetingAppService)
class GreetingService implements GreetingAppService {
  constructor(readonly words: Words) {}
  @AllowAnonymous() async greet(): Promise<string> {
    return this.words.hello()
  }
}
@Module({ name: 'Hall', services: [EnglishWords, GreetingService] })
class HallModule extends KeelModule {}

/** A composed host, nothing of which is started. */
async function compose(
  options: ModuleOptions,
  configure?: (context: ModuleContext) => void,
): Promise<Application> {
  class Host extends KeelModule {
    override configureServices(context: ModuleContext): void {
      configure?.(context)
    }
  }
  Module(options)(Host)
  const application = createApplication(Host, new Configuration().add({ Log: { Level: 'fatal' } }, 'test'))
  await application.compose()
  return application
}
const composing = (options: ModuleOptions) => expect(compose(options)).rejects

/** Runs work as a request of its own. */
const request = <T>(work: () => T): T =>
  withAmbient({ correlationId: crypto.randomUUID(), principal: anonymous, culture: 'en' }, work)

test('Inversify makes a class with its own decorators: @injectable, @inject and @postConstruct', async () => {
  @injectable()
  class Bell {
    rings = 0
    @inject(EnglishWords) readonly words!: EnglishWords
    constructor(@inject(Words) readonly found: unknown) {}
    @postConstruct() ring(): void {
      this.rings += 1
    }
  }
  const application = await compose({ dependsOn: [HallModule], services: [Bell] })
  const bell = application.get(Bell)
  expect(bell).toBeInstanceOf(Bell)
  expect(bell.rings).toBe(1)
  expect(bell.words).toBe(application.get(EnglishWords))
  expect(bell.found).toBe(bell.words)
  expect(application.get(Bell)).toBe(bell)
})

test('the dependencies of a class are those that Inversify asks for, those of an inherited constructor too', () => {
  class Base {
    @inject('name') readonly name!: string
  }
  @Injectable()
  class Middle extends Base {
    constructor(
      readonly words: Words,
      @InjectAll(Words) readonly all: readonly Words[],
    ) {
      super()
    }
  }
  class Last extends Middle {}
  expect(dependenciesOf(Last)).toEqual([
    { token: Words, index: 0, isList: false, isOptional: false },
    { token: expect.any(Symbol), index: 1, isList: true, isOptional: true },
    { token: 'name', index: undefined, isList: false, isOptional: false },
  ])
})

test('what nothing is bound to is found as undefined', async () => {
  abstract class Nothing {}
  const application = await compose({ dependsOn: [HallModule] })
  expect(application.find(Nothing)).toBeUndefined()
  expect(application.find(Words)).toBe(application.get(EnglishWords))
})

test('a host replaces a service of a module, also for those who ask for its contract or its class', async () => {
  @Replaces(GreetingService)
  class LoudGreetingService extends GreetingService {
    @AllowAnonymous() override async greet(): Promise<string> {
      return (await super.greet()).toUpperCase()
    }
  }
  const application = await compose({ dependsOn: [HallModule], services: [LoudGreetingService] })
  expect(await application.get(GreetingAppService).greet()).toBe('HELLO')
  expect(application.get(GreetingService)).toBe(application.get(LoudGreetingService))
  expect(application.localServices.map(({ service }) => service)).toEqual([LoudGreetingService])
})

test('a host replaces what provides an abstract class', async () => {
  @Replaces(Words)
  @Provides(Words)
  class FrenchWords extends Words {
    hello = () => 'bonjour'
  }
  const application = await compose({ dependsOn: [HallModule], services: [FrenchWords] })
  expect(await application.get(GreetingAppService).greet()).toBe('bonjour')
})

test('a replaced service is guarded by what stands on the one that replaces it', async () => {
  @Replaces(GreetingService)
  class PoliteGreetingService extends GreetingService {
    @Authenticated() override async greet(): Promise<string> {
      return 'good day'
    }
  }
  const application = await compose(
    { dependsOn: [HallModule], services: [PoliteGreetingService] },
    ({ application: { interceptors } }) => interceptors.push(authorization),
  )
  await expect(application.get(GreetingAppService).greet()).rejects.toThrow('Authentication is required')
})

test('a replacement of what no module lists, and two of the same class, stop the start', async () => {
  class Absent {}
  @Replaces(Absent)
  class Instead {}
  await composing({ services: [Instead] }).toThrow(
    'Instead (Host) replaces Absent, which no module of this host lists: add its module to dependsOn, or leave Instead out.',
  )
  @Replaces(EnglishWords)
  class One extends EnglishWords {}
  @Replaces(EnglishWords)
  class Two extends EnglishWords {}
  await composing({ dependsOn: [HallModule], services: [One, Two] }).toThrow(
    'EnglishWords is replaced twice: by One (Host) and Two (Host). Keep one, or let one replace the other.',
  )
})

test('a host rebinds a class in the container, and its contract stays guarded', async () => {
  @injectable()
  class OtherGreetingService {
    greet = async () => 'rebound'
  }
  const application = await compose({ dependsOn: [HallModule] }, ({ application: { container } }) => {
    container.rebind<object>(GreetingService).to(OtherGreetingService)
  })
  expect(await application.get(GreetingAppService).greet()).toBe('rebound')
})

test('everything that extends a class is injected as a list, in the order of modules, and no list is missing', async () => {
  abstract class Rule {}
  abstract class Law {}
  @Injectable()
  class First extends Rule {}
  @Injectable()
  class Second extends Rule {}
  @Injectable()
  class Judge {
    constructor(
      @InjectAll(Rule) readonly rules: readonly Rule[],
      @InjectAll(Law) readonly laws: readonly Law[],
    ) {}
  }
  @Module({ services: [First] })
  class RulesModule extends KeelModule {}
  const application = await compose({ dependsOn: [RulesModule], services: [Judge, Second] })
  const { rules, laws } = application.get(Judge)
  expect(rules).toEqual([application.get(First), application.get(Second)])
  expect(laws).toEqual([])
})

@Injectable({ scope: 'request' })
class Basket {
  readonly items: string[] = []
  constructor(readonly words: Words) {}
}
@Injectable({ scope: 'request' })
class Till {
  constructor(readonly basket: Basket) {}
}

test('a class of scope request is made once for every request, and never outside of one', async () => {
  const application = await compose({ dependsOn: [HallModule], services: [Basket, Till] })
  const first = request(() => {
    const basket = application.get(Basket)
    expect(application.get(Till).basket).toBe(basket)
    expect(application.get(Basket)).toBe(basket)
    expect(basket.words).toBe(application.get(Words))
    return basket
  })
  expect(request(() => application.get(Basket))).not.toBe(first)
  expect(() => application.get(Basket)).toThrow('No request is at hand')
})

test('a part of a request with another principal has what the whole has', async () => {
  const application = await compose({ dependsOn: [HallModule], services: [Basket, Till] })
  const values = { correlationId: 'one', principal: anonymous, culture: 'en' }
  withAmbient(values, () => {
    const inner = withAmbient({ ...values, principal: { ...anonymous } }, () => application.get(Basket))
    expect(application.get(Basket)).toBe(inner)
  })
})

test('a transient class is made for each that asks for it', async () => {
  @Injectable({ scope: 'transient' })
  class Ticket {}
  const application = await compose({ services: [Ticket] })
  expect(application.get(Ticket)).not.toBe(application.get(Ticket))
})

test('the service of a contract may be made for every request', async () => {
  @Injectable({ scope: 'request' })
  @AutoApiController(GreetingAppService)
  class CountingService implements GreetingAppService {
    calls = 0
    @AllowAnonymous() async greet(): Promise<string> {
      this.calls += 1
      return String(this.calls)
    }
  }
  const application = await compose({ services: [CountingService] })
  const contract = application.get(GreetingAppService)
  const both = () => request(async () => [await contract.greet(), await contract.greet()])
  expect(await both()).toEqual(['1', '2'])
  expect(await both()).toEqual(['1', '2'])
})

test('a class that is made once may not ask for one of each request', async () => {
  @Injectable()
  class Shop {
    constructor(readonly basket: Basket) {}
  }
  await composing({ dependsOn: [HallModule], services: [Basket, Shop] }).toThrow(
    /^Shop is made once, and asks for Basket, which is made for every request: write @Injectable\(\{ scope: 'request' \}\) above Shop, or ask the application for Basket while a request is answered\./,
  )
})

test('@preDestroy, which nothing would call, stops the start', async () => {
  @Injectable()
  class Closing {
    @preDestroy() close(): void {}
  }
  await composing({ services: [Closing] }).toThrow(
    'Closing (Host) has @preDestroy, which nothing calls here: end it in onApplicationShutdown of its module.',
  )
})
