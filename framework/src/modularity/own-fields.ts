import {
  type AnyDto,
  type ContractOperation,
  calendarDate,
  compileNormalizer,
  decimal,
  enumeration,
  faultOf,
  fieldsOf,
  guid,
  instant,
  isDto,
  keepsOtherProperties,
  type OwnField,
  OwnFieldOptions,
  ownField,
  ownFieldsOf,
  ValidationError,
  type ValidationFault,
  walkSchema,
  z,
} from '../contracts/index.js'
import { ambient } from './ambient.js'
import { type Configuration, configurationSection } from './configuration.js'
import { cultureChain } from './culture.js'
import { demandField, mapMembers } from './field-rights.js'
import type { Interceptor, Step } from './interceptor.js'
import type { LoadedModule } from './loaded-module.js'
import { nearestName } from './nearest-name.js'
import { type Principal, usesPermission } from './principal.js'
import { StartupError } from './startup-error.js'
import { compileInputCheck } from './validation.js'

/** Fields that an installation adds to entities: `OwnFields:Modules:Hub:Shipment:CostCentre:Type=text`. */
export const OwnFieldSettings = configurationSection('OwnFields', {
  /**
   * Fields by module, entity and name. Each has a type, and may have required, maxLength, min, max, scale, values, valueLabels, default, label,
   * permission, writePermission and indexed.
   */
  modules: z
    .record(z.string(), z.record(z.string(), z.record(z.string(), z.record(z.string(), z.unknown()))))
    .default({}),
})

/** The most own fields of one entity. */
const mostOfEntity = 50

/** The own fields of an entity that a caller sees. The same object for callers that see the same. */
export interface SeenFields {
  /** Unique in the process. */
  readonly id: number
  readonly fields: readonly OwnField[]
  /** Those that the caller may not see. */
  readonly hidden: readonly OwnField[]
}

let seenLists = 0
const noFields: SeenFields = { id: seenLists++, fields: [], hidden: [] }

/** The own fields of all entities of an application: those that its modules list, and those of the configuration. */
export class OwnFields {
  private readonly byEntity = new Map<string, OwnField[]>()
  private readonly modules: ReadonlySet<string>
  /** By entity, and by the names of the fields that are hidden. */
  private readonly seen = new Map<string, SeenFields>()

  /** Throws for a field that is declared twice, or that cannot be. Fields of modules that the application does not have are left out. */
  constructor(modules: readonly Pick<LoadedModule, 'name' | 'options'>[], configuration: Configuration) {
    const names = modules.map(({ name }) => name)
    this.modules = new Set(names)
    for (const { options } of modules) for (const field of options.ownFields ?? []) this.add(field)
    for (const [module, entities] of Object.entries(configuration.read(OwnFieldSettings).modules)) {
      if (!names.includes(module)) {
        const near = nearestName(module, names)
        // Hosts share settings: a host without Hub has no use for the fields of Hub.
        if (near === undefined) continue
        throw new StartupError(`OwnFields:Modules:${module} is no module of this host. Did you mean ${near}?`)
      }
      for (const [entity, fields] of Object.entries(entities))
        for (const [name, options] of Object.entries(fields))
          this.add(configured(`${module}.${entity}`, name, options))
    }
    for (const field of this.all) checkDefault(field)
  }

  /** Throws for a field that needs a permission that no module of a host has. Nobody would see the field. */
  checkPermissions(permissions: ReadonlyMap<string, unknown>): void {
    for (const { entity, name, permission, writePermission } of this.all)
      for (const needed of [permission, writePermission])
        if (needed !== undefined && !permissions.has(needed)) {
          const near = nearestName(needed, [...permissions.keys()])
          throw new StartupError(
            `The own field ${entity}.${name} needs the permission ${needed}, which no module of this host has.${near ? ` Did you mean ${near}?` : ''}`,
          )
        }
  }

  /** The own fields of all entities. */
  get all(): OwnField[] {
    return [...this.byEntity.values()].flat()
  }

  /** The own fields of an entity, by its module and name. */
  of(entity: string): readonly OwnField[] {
    return this.byEntity.get(entity) ?? []
  }

  /** False for entities of modules that the application calls on another host, which knows their own fields. */
  isOfApplication(entity: string): boolean {
    return this.byEntity.has(entity) || this.modules.has(entity.slice(0, entity.indexOf('.')))
  }

  /** Those of them that a principal may see. */
  seenBy(principal: Principal, entity: string): SeenFields {
    const all = this.byEntity.get(entity)
    if (!all) return noFields
    const isSeen = ({ permission }: OwnField): boolean =>
      permission === undefined || usesPermission(principal, permission)
    const fields = all.filter(isSeen)
    const key = [entity, ...fields.map(({ name }) => name)].join()
    const hidden = all.filter((field) => !fields.includes(field))
    const known = this.seen.get(key) ?? { id: seenLists++, fields, hidden }
    this.seen.set(key, known)
    return known
  }

  private add(field: OwnField): void {
    const others = this.byEntity.get(field.entity) ?? []
    if (others.some(({ name }) => name.toLowerCase() === field.name.toLowerCase()))
      throw new StartupError(`The own field ${field.entity}.${field.name} is declared twice.`)
    if (others.length === mostOfEntity)
      throw new StartupError(`${field.entity} has more than ${mostOfEntity} own fields.`)
    this.byEntity.set(field.entity, [...others, field])
  }
}

/** The label of an own field in a culture; its name where it has no label. */
export function ownFieldLabel({ name, label }: Pick<OwnField, 'name' | 'label'>, culture: string): string {
  const found = cultureChain(culture).find((one) => label[one] !== undefined)
  return (found && label[found]) ?? label.en ?? name
}

/** The label of a member of an enumeration in a culture; the name of the member where it has no label. */
export function ownValueLabel({ valueLabels }: OwnField, member: string, culture: string): string {
  return ownFieldLabel({ name: member, label: valueLabels[member] ?? {} }, culture)
}

/** Says whether a principal may set a field. */
export function maySetField({ permission, writePermission }: OwnField, principal: Principal): boolean {
  return [permission, writePermission].every((one) => one === undefined || usesPermission(principal, one))
}

function configured(entity: string, name: string, options: Readonly<Record<string, unknown>>): OwnField {
  const known = Object.keys(OwnFieldOptions.shape)
  const place = `OwnFields:Modules:${entity.replace('.', ':')}:${name}`
  for (const option of Object.keys(options))
    if (!known.some((one) => one.toLowerCase() === option.toLowerCase())) {
      const near = nearestName(option, known)
      throw new StartupError(
        `${place} has no option ${option}.${near ? ` Did you mean ${near}?` : ''} There are ${known.join(', ')}.`,
      )
    }
  try {
    return ownField(entity, name, compileNormalizer(OwnFieldOptions)(options) as never)
  } catch (cause) {
    throw new StartupError(`${place}: ${(cause as Error).message}`, { cause })
  }
}

/** Throws for a default that the field itself would refuse. */
function checkDefault(field: OwnField): void {
  if (field.default === undefined) return
  const schema = schemaOf(field)
  const { error } = schema.safeParse(compileNormalizer(schema)(field.default))
  if (error)
    throw new StartupError(
      `The own field ${field.entity}.${field.name} can't have its own default: ${error.issues[0]?.message}`,
    )
}

/**
 * Checks the own fields in inputs: types, limits and permissions. A fault names its member: `extraProperties.CostCentre`. Answers that code
 * makes lose the fields that the caller may not see; those that a view writes do not have them. A service that passes a contract on to another host
 * passes its own fields on as they are: that host checks them.
 */
export function ownFieldCheck(ownFields: OwnFields): Interceptor {
  return {
    step: 'own fields',
    intercept({ operation }): Step | undefined {
      const inputs = inputsOf(operation).filter(({ entity }) => ownFields.isOfApplication(entity))
      const answers = answersOf(operation).filter((entity) => ownFields.of(entity).length)
      if (!inputs.length && !answers.length) return undefined
      const isNew = operation.route.verb === 'POST'
      const checks = inputs.map(({ member, entity, keepsOthers }) =>
        compileOwnFieldCheck(ownFields.of(entity), { member, isNew, keepsOthers }),
      )
      return async (args, next) => {
        const checked = [...args]
        for (const [at, { index, member }] of inputs.entries()) {
          const { [member]: given, ...others } = (args[index] ?? {}) as Record<string, unknown>
          const values = checks[at]?.((given ?? {}) as Record<string, unknown>) ?? {}
          checked[index] = Object.keys(values).length ? { ...others, [member]: values } : others
        }
        const answer = await next(checked)
        return answers.length ? withoutHidden(ownFields, operation, answer) : answer
      }
    },
  }
}

/** The members of the arguments of an operation that hold own fields. */
function inputsOf({ parameters }: ContractOperation) {
  return parameters.flatMap(({ dto }, index) =>
    (dto ? fieldsOf(dto) : []).flatMap(([member, schema]) => {
      const entity = ownFieldsOf(schema)
      return entity === undefined
        ? []
        : [{ index, member, entity, keepsOthers: keepsOtherProperties(schema) }]
    }),
  )
}

/** The entities whose own fields the answers of an operation show. */
function answersOf({ result }: ContractOperation): readonly string[] {
  return result ? ownEntitiesIn(isDto(result) ? result : { schema: result }) : []
}

/** An answer without the own fields that the caller may not see, at every level. */
export function withoutHidden(
  ownFields: Pick<OwnFields, 'seenBy'>,
  { result }: Pick<ContractOperation, 'result'>,
  answer: unknown,
): unknown {
  const { principal } = ambient()
  if (!result) return answer
  return mapMembers(isDto(result) ? result.schema : result, answer, (declared, value) => {
    const entity = declared && ownFieldsOf(declared)
    if (entity === undefined || typeof value !== 'object' || value === null) return value
    const hidden = new Set(ownFields.seenBy(principal, entity).hidden.map(({ name }) => name))
    return Object.fromEntries(Object.entries(value).filter(([name]) => !hidden.has(name)))
  })
}

/** An input whose own fields are checked. */
export interface CheckedMember {
  /** The member that holds the fields; faults are named after it. */
  readonly member: string
  /** True for a new row: it gets defaults, and needs the required fields. */
  readonly isNew: boolean
  /** True where properties that no field declares are kept. */
  readonly keepsOthers?: boolean
}

/**
 * Makes the check of the own fields of one input, by the rights of the caller at hand. It answers the values to store: null for fields to clear.
 * It throws `ValidationError` with every fault, and `ForbiddenError` for a field that the caller may not set.
 */
export function compileOwnFieldCheck(
  fields: readonly OwnField[],
  { member, isNew, keepsOthers = false }: CheckedMember,
): (given: Readonly<Record<string, unknown>>) => Record<string, unknown> {
  const declared = new Set(fields.map(({ name }) => name.toLowerCase()))
  const shape = Object.fromEntries(fields.map((field) => [field.name, schemaOf(field).nullish()]))
  const schema = z.object({ [member]: z.object(shape) })
  const check = compileInputCheck({ schema } as unknown as AnyDto)
  const normalize = compileNormalizer(z.object(shape))
  return (given) => {
    const { principal } = ambient()
    const named = normalize(given) as Record<string, unknown>
    const faults: ValidationFault[] = []
    for (const { name, permission, writePermission } of fields)
      for (const one of [permission, writePermission])
        if (named[name] !== undefined && one !== undefined) demandField(name, one)
    const { value, faults: ofValues } = check({ [member]: named })
    faults.push(...ofValues)
    const values: Record<string, unknown> = keepsOthers
      ? Object.fromEntries(Object.entries(given).filter(([name]) => !declared.has(name.toLowerCase())))
      : {}
    const valid = (value as Record<string, Record<string, unknown>> | undefined)?.[member] ?? {}
    for (const field of fields) {
      const { name } = field
      const found = named[name] === undefined && isNew ? defaultOf(field) : valid[name]
      const isMissing = named[name] === null || named[name] === '' || (isNew && found === undefined)
      if (field.required && isMissing && maySetField(field, principal)) {
        if (!ofValues.some(({ members }) => members.includes(`${member}.${name}`)))
          faults.push(faultOf(`${member}.${name}`, 'Validation:Required'))
      } else if (found !== undefined && !(isNew && found === null)) values[name] = storedForm(found)
    }
    if (faults.length) throw new ValidationError(faults)
    return values
  }
}

/**
 * The own fields of a new row that no operation of a contract creates: checked as those of an input in its member `extraProperties`, with defaults.
 * Properties that no field declares are kept.
 */
export function newOwnFields(
  ownFields: Pick<OwnFields, 'of'>,
  entity: string,
  given: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const options = { member: 'extraProperties', isNew: true, keepsOthers: true }
  return compileOwnFieldCheck(ownFields.of(entity), options)(given)
}

/** The defaults of the own fields of a new row for which nobody can be asked for values. */
export function ownFieldDefaults(ownFields: Pick<OwnFields, 'of'>, entity: string): Record<string, unknown> {
  const defaults = ownFields.of(entity).map((field) => [field.name, storedForm(defaultOf(field))] as const)
  return Object.fromEntries(defaults.filter(([, value]) => value !== undefined))
}

function defaultOf(field: OwnField): unknown {
  if (field.default === undefined) return undefined
  const schema = schemaOf(field)
  return schema.parse(compileNormalizer(schema)(field.default))
}

/** A value as JSON keeps it: instants as ISO 8601 in UTC. */
function storedForm(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : value
}

const schemas = new WeakMap<OwnField, z.ZodType>()

/** The schema of the values of a field; null is none of them. */
export function schemaOf(field: OwnField): z.ZodType {
  const known = schemas.get(field) ?? makeSchema(field)
  schemas.set(field, known)
  return known
}

function makeSchema({ type, maxLength, min, max, scale, values, name }: OwnField): z.ZodType {
  switch (type) {
    case 'text':
      return z.string().max(maxLength)
    case 'integer':
      return z
        .int()
        .min(min ?? -2147483648)
        .max(max ?? 2147483647)
    case 'decimal':
      return decimal(15, scale, {
        ...(min !== undefined && { min }),
        ...(max !== undefined && { max }),
      }).transform(Number)
    case 'boolean':
      return z.boolean()
    case 'date':
      return calendarDate()
    case 'instant':
      return instant()
    case 'enumeration':
      return enumeration(name, values ?? {})
    case 'guid':
      return guid()
  }
}

const inSchema = new WeakMap<z.ZodType, readonly string[]>()

/** The entities whose own fields a DTO shows, at every level. */
export function ownEntitiesIn({ schema }: { readonly schema: z.ZodType }): readonly string[] {
  const known = inSchema.get(schema)
  if (known) return known
  const found = new Set<string>()
  walkSchema(schema, (inner) => {
    const { shape = {} } = inner._zod.def as { readonly shape?: Readonly<Record<string, z.ZodType>> }
    for (const member of Object.values(shape)) {
      const entity = ownFieldsOf(member)
      if (entity !== undefined) found.add(entity)
    }
  })
  inSchema.set(schema, [...found])
  return [...found]
}
