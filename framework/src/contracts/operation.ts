import { z } from 'zod'
import { type AnyDto, type DtoClass, fieldsOf, isDto } from './dto.js'
import { guid, wireKind } from './scalars.js'

/** The HTTP verbs an operation can have. */
export type Verb = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH'

/** A named parameter of an operation. */
export interface Parameter<S extends z.ZodType = z.ZodType> {
  readonly name: string
  readonly schema: S
  /** The DTO class the schema belongs to, when it is one. */
  readonly dto: AnyDto | undefined
  /** True when it is the JSON body whatever the verb: of a DELETE too, whose parameters travel in the query otherwise. */
  readonly isBody?: true
}

/** The members of a parameter that are files; with one it travels as a form. */
export function filesOf({ dto }: Parameter): string[] {
  return (dto ? fieldsOf(dto) : [])
    .filter(([, schema]) => wireKind(schema)?.kind === 'file')
    .map(([name]) => name)
}

/** The media types of a result that is a file; undefined for other results. */
export function fileTypesOf({ result }: Pick<Operation, 'result'>): readonly string[] | undefined {
  const kind = result && !isDto(result) ? wireKind(result) : undefined
  return kind?.kind === 'file' ? kind.mediaTypes : undefined
}

/** A parameter of an operation that is not a whole DTO: a simple value by name. */
export function param<S extends z.ZodType>(name: string, schema: S): Parameter<S> {
  return { name, schema, dto: undefined }
}

/** A list that is the JSON body of an operation, also of a DELETE: a long list would not fit into an address. */
export function bodyParam<S extends z.ZodType>(name: string, schema: S): Parameter<S> {
  return { name, schema, dto: undefined, isBody: true }
}

/** The identifier of an entity: the `{id}` segment of the route. */
export const id: Parameter<z.ZodGUID> = param('id', guid())

type Argument = Parameter | AnyDto
type InputOfArgument<A> =
  A extends Parameter<infer S> ? z.input<S> : A extends DtoClass<infer S> ? z.input<z.ZodObject<S>> : never
type InputsOf<A extends readonly Argument[]> = { -readonly [K in keyof A]: InputOfArgument<A[K]> }
type ValidatedArgument<A> =
  A extends Parameter<infer S> ? z.output<S> : A extends DtoClass<infer S> ? z.output<z.ZodObject<S>> : never
type ValidatedOf<A extends readonly Argument[]> = { -readonly [K in keyof A]: ValidatedArgument<A[K]> }
type ResultOf<R> = R extends AnyDto ? InstanceType<R> : R extends z.ZodType ? z.output<R> : undefined

/**
 * An operation of a service contract: what it takes, what it gives and, where convention should not decide,
 * how it is reached. `Inputs` is what callers pass, `Validated` what the service is called with once the
 * inputs were validated.
 */
export interface Operation<
  Inputs extends unknown[] = unknown[],
  Result = unknown,
  Validated extends unknown[] = Inputs,
> {
  readonly parameters: readonly Parameter[]
  readonly result: AnyDto | z.ZodType | undefined
  readonly verb: Verb | undefined
  readonly path: string | undefined
  /** Answers carry an entity tag, and 304 goes to whoever has the answer already. */
  readonly hasEntityTag: boolean
  /** Sets the result of the operation. Without it the operation answers 204. */
  returns<R extends AnyDto | z.ZodType>(result: R): Operation<Inputs, ResultOf<R>, Validated>
  /**
   * Overrides the verb that the name would give, and with a path the route too: below the service's route,
   * or, with a leading slash, the whole of it.
   */
  at(verb: Verb, path?: string): Operation<Inputs, Result, Validated>
  /** Says that answers carry an entity tag; the service gives them by `taggedResult`. */
  withEntityTag(): Operation<Inputs, Result, Validated>
  /** Never set: it keeps the types of the inputs and the result. */
  readonly types?: { inputs: Inputs; result: Result; validated: Validated }
}

/**
 * Declares an operation. A DTO class is the parameter `input`; simple values are named with {@link param}.
 * @example
 * update: op(id, UpdateShipmentDto).returns(ShipmentDto)
 */
export function op<const A extends readonly Argument[]>(
  ...args: A
): Operation<InputsOf<A>, void, ValidatedOf<A>> {
  return operation({
    parameters: args.map(toParameter),
    result: undefined,
    verb: undefined,
    path: undefined,
    hasEntityTag: false,
  }) as Operation<InputsOf<A>, void, ValidatedOf<A>>
}

function toParameter(argument: Argument): Parameter {
  return isDto(argument) ? { name: 'input', schema: argument.schema, dto: argument } : argument
}

function operation(
  parts: Pick<Operation, 'parameters' | 'result' | 'verb' | 'path' | 'hasEntityTag'>,
): Operation {
  return {
    ...parts,
    returns: (result) => operation({ ...parts, result }) as never,
    at: (verb, path) => operation({ ...parts, verb, path }),
    withEntityTag: () => operation({ ...parts, hasEntityTag: true }),
  }
}
