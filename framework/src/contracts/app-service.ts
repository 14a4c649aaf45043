import type { z } from 'zod'
import type { AnyDto, DtoClass } from './dto.js'
import { id, type Operation, op } from './operation.js'
import { FilteredPagedInput, pageOf } from './paging.js'
import type { RemoteService } from './remote-service.js'
import { type OperationRoute, routeOf } from './routes.js'

/** Operations by method name. */
// biome-ignore lint/suspicious/noExplicitAny: operations of all inputs and results
export type Operations = Record<string, Operation<any, any, any>>

/** The method of an operation, typed so that implementations may take the validated (narrower) input. */
type MethodOf<O> =
  // biome-ignore lint/suspicious/noExplicitAny: validated inputs of all types
  O extends Operation<infer Inputs, infer Result, any>
    ? { run(...inputs: Inputs): Promise<Result> }['run']
    : never

/** The methods of a contract. */
export type ServiceOf<O extends Operations> = { [K in keyof O]: MethodOf<O[K]> }

/** The operations of a contract as its implementation declares them: with validated inputs. */
// biome-ignore lint/suspicious/noExplicitAny: a contract of all operations, and inputs of all types
export type ImplementationOf<C extends { readonly contract: ServiceContract<any> }> = C extends {
  readonly contract: ServiceContract<infer O>
}
  ? string extends keyof O
    ? object
    : {
        // A member of function type, unlike a method, is compared strictly: an implementation must not ask
        // for more than callers give.
        // biome-ignore lint/suspicious/noExplicitAny: inputs of all types
        [K in keyof O]: O[K] extends Operation<any, infer Result, infer Validated>
          ? (...inputs: Validated) => Promise<Result>
          : never
      }
  : never

/** A contract: an abstract class that is type, token, route table, validator and remote client. */
export type AppServiceClass<O extends Operations = Operations> = (abstract new () => ServiceOf<O>) & {
  readonly contract: ServiceContract<O>
}

/** A contract of any operations, where only its description matters. */
export type AnyAppService = (abstract new () => object) & { readonly contract: ServiceContract }

/** One operation of a contract with its route. */
export interface ContractOperation extends Operation {
  readonly name: string
  readonly route: OperationRoute
}

/** The name of a contract as text: minifiers rename classes, and routes must not follow them. */
export type ContractName = `${string}AppService`

/** A contract as data. */
export interface ServiceContract<O extends Operations = Operations> {
  /** E.g. `ShipmentAppService`; its routes derive from it. */
  readonly name: ContractName
  readonly service: RemoteService
  /** The title of the service in documents, where its name does not give one. */
  readonly title: string | undefined
  readonly operations: ReadonlyMap<string, ContractOperation>
  /** Never set: it keeps the types of the operations. */
  readonly types?: O
}

/**
 * The base of a service contract.
 * @param name the name of the class that extends it, as text; a host refuses to start when the two differ
 * @param title what documents call the service for people, where that cannot be told from its name: the name's words, in the plural where it
 *   has a list
 * @example
 * export abstract class PortAppService extends AppService(Hub, 'PortAppService', crud(PortDto, PortInput)) {}
 */
export function AppService<O extends Operations>(
  service: RemoteService,
  name: ContractName,
  operations: O,
  title?: string,
): AppServiceClass<O> {
  abstract class AppServiceBase {
    static get contract(): ServiceContract {
      const contract = describe(name, service, operations, title)
      Object.defineProperty(this, 'contract', { value: contract })
      return contract
    }
  }
  return AppServiceBase as unknown as AppServiceClass<O>
}

function describe(
  name: ContractName,
  service: RemoteService,
  operations: Operations,
  title: string | undefined,
): ServiceContract {
  const described = new Map<string, ContractOperation>()
  for (const [method, operation] of Object.entries(operations)) {
    described.set(method, { ...operation, name: method, route: routeOf(service, name, method, operation) })
  }
  return { name, service, title, operations: described }
}

/**
 * The service contracts among what a door exports (`import * as hub`), for the lists `remotes` and `unserved` of a host.
 * @example servicesIn(hub)
 */
export function servicesIn(exported: object): AnyAppService[] {
  return Object.values(exported).filter(isAppService)
}

/** True when a value is a class made by {@link AppService}. */
function isAppService(value: unknown): value is AnyAppService {
  return typeof value === 'function' && 'contract' in value
}

type CrudOperations<
  D extends z.ZodRawShape,
  C extends z.ZodRawShape,
  U extends z.ZodRawShape,
  L extends z.ZodRawShape,
  P,
> = {
  get: Operation<[id: string], z.output<z.ZodObject<D>>>
  getList: Operation<[input: z.input<z.ZodObject<L>>], P, [input: z.output<z.ZodObject<L>>]>
  create: Operation<
    [input: z.input<z.ZodObject<C>>],
    z.output<z.ZodObject<D>>,
    [input: z.output<z.ZodObject<C>>]
  >
  update: Operation<
    [id: string, input: z.input<z.ZodObject<U>>],
    z.output<z.ZodObject<D>>,
    [id: string, input: z.output<z.ZodObject<U>>]
  >
  delete: Operation<[id: string], void>
}

/**
 * get, getList, create, update and delete of an entity. By default one input for both writes, a plain page.
 */
export function crud<
  D extends z.ZodRawShape,
  C extends z.ZodRawShape,
  U extends z.ZodRawShape = C,
  L extends z.ZodRawShape = (typeof FilteredPagedInput)['shape'],
  P extends AnyDto = ReturnType<typeof pageOf<D>>,
>(
  dto: DtoClass<D>,
  create: DtoClass<C>,
  update?: DtoClass<U>,
  list?: DtoClass<L>,
  page?: P,
): CrudOperations<D, C, U, L, InstanceType<P>> {
  return {
    /** Gets an entity by its id. */
    get: op(id).returns(dto),
    /** Lists the entities that the caller may see, in pages. */
    getList: op((list ?? FilteredPagedInput) as AnyDto).returns((page ?? pageOf(dto)) as AnyDto),
    /** Creates an entity. */
    create: op(create).returns(dto),
    /** Changes an entity. */
    update: op(id, (update ?? create) as AnyDto).returns(dto),
    /** Deletes an entity. */
    delete: op(id),
  } as unknown as CrudOperations<D, C, U, L, InstanceType<P>>
}
