import {
  type AnyAppService,
  type AnyDto,
  AppliedFilterDto,
  dtoOf,
  FacetDto,
  FacetedPagedInput,
  FacetValueDto,
  FilteredPagedInput,
  featureOf,
  filesOf,
  genericOf,
  isDto,
  NameValue,
  PagedInput,
  type Parameter,
  pascalCase,
  type RemoteService,
  unwrap,
  type WireKind,
  walkSchema,
  wireKind,
  z,
} from '../../contracts/index.js'
import { ownerOf } from '../server/schema-walk.js'

/**
 * A type as ABP's API definition writes it (abp-http-contract section 3.3): in full, and as a client needs
 * it.
 */
export interface ClrType {
  readonly type: string
  readonly typeSimple: string
}

/** The root of all namespaces: what an Angular workspace names as `rootNamespace`. */
const root = 'Keel'
const abpDtos = 'Volo.Abp.Application.Dtos'

/** The framework's own DTOs, whoever uses them. */
const frameworkDtos: ReadonlySet<unknown> = new Set([
  FilteredPagedInput,
  FacetedPagedInput,
  AppliedFilterDto,
  FacetValueDto,
  FacetDto,
])
/** Types that ABP has too bear ABP's names: its generator of clients imports them from `@abp/ng.core`. */
const abpNames: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  [NameValue, 'Volo.Abp.NameValue'],
  [PagedInput, `${abpDtos}.PagedAndSortedResultRequestDto`],
  ['PagedResultDto', `${abpDtos}.PagedResultDto`],
  ['ListResultDto', `${abpDtos}.ListResultDto`],
])

const text = 'System.String'
const streamContent = 'Volo.Abp.Content.IRemoteStreamContent'
const unknownType: ClrType = { type: 'System.Object', typeSimple: 'object' }
/** Nothing: what an operation without a result gives. */
export const voidType: ClrType = { type: 'System.Void', typeSimple: 'System.Void' }

type Enumeration = Extract<WireKind, { kind: 'enum' }>

/**
 * The names that contracts and what they carry would have in .NET, stable for the same modules: `Keel.<module>.<feature>.<name>`, where the
 * module is the root of its routes and the feature is the contract, in the plural, whose name stands in the type's. What several modules
 * use is in `Keel.Application`.
 * @example Keel.Hub.Shipments.ShipmentController, Keel.Hub.Shipments.CreateShipmentDto, Keel.Hub.OrderDto, Keel.Application.Facets.FacetDto
 */
export class ClrTypes {
  /** Every DTO by its name, except instances of generics. */
  readonly dtos = new Map<string, AnyDto>()
  /**
   * An instance of every generic by the name of its definition, e.g.
   * `Volo.Abp.Application.Dtos.PagedResultDto<T0>`.
   */
  readonly generics = new Map<string, AnyDto>()
  readonly enumerations = new Map<string, Enumeration>()
  /** The type of files, when there are any. */
  streamType: string | undefined
  private readonly names = new Map<unknown, string>()
  private readonly features = new Map<RemoteService, string[]>()

  constructor(contracts: readonly AnyAppService[]) {
    const users = new Map<AnyDto | string, Set<RemoteService>>()
    const enumerations = new Map<string, Enumeration>()
    for (const { contract } of contracts) {
      const { service, operations } = contract
      this.features.set(service, [...(this.features.get(service) ?? []), featureOf(contract.name)])
      const use = (key: AnyDto | string) => users.set(key, (users.get(key) ?? new Set()).add(service))
      for (const { parameters, result } of operations.values()) {
        // A form has no type of its own: clients fill one in.
        const schemas = parameters.flatMap((one) =>
          filesOf(one).length ? Object.values(one.dto?.shape ?? {}) : [one.schema],
        ) as z.ZodType[]
        if (result) schemas.push(isDto(result) ? result.schema : result)
        for (const schema of schemas)
          walkSchema(schema, (inner) => {
            const dto = dtoOf(inner)
            const kind = wireKind(inner)
            if (dto) use(dto)
            if (kind?.kind === 'file') this.streamType = streamContent
            if (kind?.kind !== 'enum') return
            enumerations.set(keyOf(kind), kind)
            use(keyOf(kind))
          })
      }
    }
    for (const [key, services] of users) {
      const generic = typeof key === 'string' ? undefined : genericOf(key)
      const enumeration = typeof key === 'string' ? enumerations.get(key) : undefined
      if (enumeration) this.enumerations.set(this.claim(key, enumeration.name, services), enumeration)
      else if (generic) this.generics.set(`${genericName(generic.definition)}<T0>`, key as AnyDto)
      else if (typeof key !== 'string') this.dtos.set(this.claim(key, key.name, services), key)
    }
  }

  /** The namespace of a contract, e.g. `Keel.Hub.Shipments`. */
  namespaceOf({ contract: { name, service } }: AnyAppService): string {
    return service.clrNamespace ?? `${moduleNamespace(service)}.${plural(featureOf(name))}`
  }

  /** The type of a value. Inside the definition of a generic the argument's DTO is `T`. */
  typeOf(schema: z.ZodType, argument?: AnyDto): ClrType {
    const inner = this.withoutNull(unwrap(schema), argument)
    return mayBeNull(schema) && isValueType(inner) ? suffixed(inner, '?') : inner
  }

  /**
   * The type of a method's parameter: what travels as a form is a stream, which makes ABP's generator ask for
   * `FormData`.
   */
  parameterType(parameter: Parameter): ClrType {
    return filesOf(parameter).length ? scalars.file : this.typeOf(parameter.schema)
  }

  /** The type of what an operation gives: lists have their .NET name there. */
  resultType(result: AnyDto | z.ZodType | undefined): ClrType {
    if (!result) return voidType
    const schema = isDto(result) ? result.schema : result
    const { element } = unwrap(schema)._zod.def as unknown as { element?: z.ZodType }
    const type = this.typeOf(schema)
    return element ? { ...type, type: `System.Collections.Generic.List<${this.typeOf(element).type}>` } : type
  }

  private withoutNull(schema: z.ZodType, argument?: AnyDto): ClrType {
    const kind = wireKind(schema)
    if (kind?.kind === 'enum') return { type: this.names.get(keyOf(kind)) ?? text, typeSimple: 'enum' }
    if (kind) return scalars[kind.kind]
    const dto = dtoOf(schema)
    if (dto) return this.dtoType(dto, argument)
    const def = schema._zod.def as unknown as { type: string; format?: string } & Record<
      'element' | 'keyType' | 'valueType',
      z.ZodType | undefined
    >
    if (def.element) {
      const element = this.typeOf(def.element, argument)
      return { type: `[${element.type}]`, typeSimple: `[${element.typeSimple}]` }
    }
    if (def.valueType) {
      const value = this.typeOf(def.valueType, argument)
      return { type: `{${text}:${value.type}}`, typeSimple: `{string:${value.typeSimple}}` }
    }
    if (def.type === 'string' && /^(guid|uuid)$/.test(def.format ?? '')) return scalars.guid
    if (def.type === 'string' || def.type === 'enum') return { type: text, typeSimple: 'string' }
    if (def.type === 'boolean') return { type: 'System.Boolean', typeSimple: 'boolean' }
    if (def.type === 'number') return { type: numberType(schema), typeSimple: 'number' }
    return unknownType
  }

  private dtoType(dto: AnyDto, argument?: AnyDto): ClrType {
    if (dto === argument) return { type: 'T', typeSimple: 'T' }
    const generic = genericOf(dto)
    const name = generic
      ? `${genericName(generic.definition)}<${this.dtoType(generic.argument).type}>`
      : (this.names.get(dto) ?? unknownType.type)
    return { type: name, typeSimple: name }
  }

  /** Gives a type a name that no other has. */
  private claim(key: AnyDto | string, name: string, users: ReadonlySet<RemoteService>): string {
    const owner = frameworkDtos.has(key) ? undefined : ownerOf(users)
    const first = abpNames.get(key) ?? `${this.home(name, owner)}.${name}`
    let claimed = first
    for (let number = 2; this.dtos.has(claimed) || this.enumerations.has(claimed); number++)
      claimed = `${first}${number}`
    this.names.set(key, claimed)
    return claimed
  }

  private home(name: string, owner: RemoteService | undefined): string {
    if (!owner) return sharedNamespace(name)
    if (owner.clrNamespace) return owner.clrNamespace
    const features = (this.features.get(owner) ?? []).filter((feature) => name.includes(feature))
    const feature = features.sort((a, b) => b.length - a.length)[0]
    return feature ? `${moduleNamespace(owner)}.${plural(feature)}` : moduleNamespace(owner)
  }
}

const scalars = {
  guid: { type: 'System.Guid', typeSimple: 'string' },
  instant: { type: 'System.DateTime', typeSimple: 'string' },
  date: { type: 'System.DateOnly', typeSimple: 'string' },
  decimal: { type: 'System.Decimal', typeSimple: 'number' },
  file: { type: streamContent, typeSimple: streamContent },
  // Its .NET type would make clients send the integers.
  enumName: { type: text, typeSimple: 'string' },
} as const

/** `Port` → `Ports`, `Currency` → `Currencies`, `Address` → `Addresses`; `Ports` stays. */
export function plural(name: string): string {
  if (/[bcdfgklmnprtw]s$/.test(name)) return name
  if (/[^aeiou]y$/.test(name)) return `${name.slice(0, -1)}ies`
  return /(s|x|z|ch|sh)$/.test(name) ? `${name}es` : `${name}s`
}

/** True when null, or nothing at all, may stand in the value's place; a default stands in for nothing. */
function mayBeNull(schema: z.ZodType): boolean {
  const { type, innerType } = schema._zod.def as { type: string; innerType?: z.ZodType }
  return type === 'optional' || type === 'nullable' || (innerType !== undefined && mayBeNull(innerType))
}

function genericName(definition: string): string {
  return abpNames.get(definition) ?? `${sharedNamespace(definition)}.${definition}`
}

/**
 * Each type that modules share has a namespace of its own. ABP's generator writes one file per namespace,
 * anew for each module and only with the types that this module uses: with two types in one file, the last
 * module could remove the type of another.
 */
function sharedNamespace(name: string): string {
  return `${root}.Application.${plural(name.replace(/Dto$/, ''))}`
}

function moduleNamespace({ rootPath }: RemoteService): string {
  return `${root}.${pascalCase(rootPath)}`
}

/** In .NET a reference may always be null: only values say so with a `?`. */
function isValueType({ type, typeSimple }: ClrType): boolean {
  return typeSimple === 'enum' || (type.startsWith('System.') && type !== text && type !== unknownType.type)
}

function suffixed({ type, typeSimple }: ClrType, suffix: string): ClrType {
  return { type: type + suffix, typeSimple: typeSimple + suffix }
}

function numberType(schema: z.ZodType): string {
  const { type, maximum = Number.MAX_SAFE_INTEGER } = z.toJSONSchema(schema)
  if (type !== 'integer') return 'System.Double'
  return maximum <= 2147483647 ? 'System.Int32' : 'System.Int64'
}

/** Enumerations of one name and the same members are one, however often they are written. */
function keyOf({ name, members }: Enumeration): string {
  return `${name} ${JSON.stringify(members)}`
}
