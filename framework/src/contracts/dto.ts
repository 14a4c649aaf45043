import { z } from 'zod'

/** The static side of a DTO class made by {@link Dto}: its shape and its validating schema. */
export interface DtoClass<S extends z.ZodRawShape = z.ZodRawShape> {
  new (values?: z.output<z.ZodObject<S>>): z.output<z.ZodObject<S>>
  readonly name: string
  readonly shape: S
  readonly schema: z.ZodObject<S>
}

/** A DTO class of any shape, where only its name and schema matter. */
export interface AnyDto {
  // biome-ignore lint/suspicious/noExplicitAny: a constructor of unknown parameters can be written in no other way
  new (...args: any[]): object
  readonly name: string
  readonly shape: z.ZodRawShape
  readonly schema: z.ZodObject
}

const owners = new WeakMap<z.ZodType, AnyDto>()

/**
 * The base of a data transfer object: a class that is type, validator and OpenAPI schema at once.
 * Unknown members of the input are ignored, as ABP ignores them.
 * @example
 * export class CreatePortDto extends Dto({ unLocode: z.string().length(5), name: z.string().max(100) }) {}
 */
export function Dto<S extends z.ZodRawShape>(shape: S): DtoClass<S> {
  abstract class DtoBase {
    static readonly shape = shape

    static get schema(): z.ZodObject<S> {
      const schema = z.object(shape)
      // The schema belongs to the class it is first asked of, so that documents can call it by that name.
      Object.defineProperty(this, 'schema', { value: schema })
      owners.set(schema, this as unknown as AnyDto)
      return schema
    }

    constructor(values?: object) {
      Object.assign(this, values)
    }
  }
  return DtoBase as unknown as DtoClass<S>
}

/** The DTO class a schema was made for, or undefined for a schema of another origin. */
export function dtoOf(schema: z.ZodType): AnyDto | undefined {
  return owners.get(schema)
}

/** True for classes made by {@link Dto}. */
export function isDto(value: unknown): value is AnyDto {
  return typeof value === 'function' && 'schema' in value && 'shape' in value
}

/** A DTO that has an `id`. */
export function EntityDto<S extends z.ZodRawShape>(shape: S): DtoClass<{ id: z.ZodGUID } & S> {
  return Dto({ id: anyId, ...shape })
}

const anyId = z.guid()

/**
 * The input that creates or replaces what a DTO shows: its fields without the identifier. Name further fields
 * that only the server writes.
 * @example export class PortInput extends InputOf(PortDto, 'countryCode') {}
 */
export function InputOf<S extends z.ZodRawShape, O extends keyof S = never>(
  dto: { readonly shape: S },
  ...omitted: O[]
): DtoClass<Omit<S, 'id' | O>> {
  const shape: z.ZodRawShape = { ...dto.shape }
  for (const key of ['id', ...omitted]) delete (shape as Record<string, z.ZodType>)[key as string]
  return Dto(shape) as unknown as DtoClass<Omit<S, 'id' | O>>
}

/**
 * The member `isActive` of an input: true brings back a row of a public list that was deleted, which
 * deactivated it. False leaves such a row as it is; `CrudService` refuses it for others, because deleting takes
 * a permission of its own.
 * @example export class PortInput extends Dto({ ...InputOf(PortDto).shape, isActive: reactivation() }) {}
 */
export function reactivation(): z.ZodOptional<z.ZodBoolean> {
  return z.boolean().optional()
}

/** A list of DTOs as a schema, for shapes and results. */
export function listOf<S extends z.ZodRawShape>(dto: DtoClass<S>): z.ZodArray<z.ZodObject<S>> {
  return z.array(dto.schema)
}

/** The fields of a DTO with their schemas, in order. */
export function fieldsOf(dto: AnyDto): [name: string, schema: z.ZodType][] {
  return Object.entries(dto.shape) as [string, z.ZodType][]
}
