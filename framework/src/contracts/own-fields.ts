import { z } from 'zod'
import { extraProperties } from './extra-properties.js'

/** The types that an own field can have, by the names that a declaration uses. */
export const ownFieldTypes = [
  'text',
  'integer',
  'decimal',
  'boolean',
  'date',
  'instant',
  'enumeration',
  'guid',
] as const
/** The type of the values of an own field. */
export type OwnFieldType = (typeof ownFieldTypes)[number]

const labels = z.record(z.string(), z.string().max(100)).default({})

/** The type of an own field, its limits, its label and its permissions. */
export const OwnFieldOptions = z.strictObject({
  type: z.enum(ownFieldTypes),
  /** A new row needs a value, and no change can clear it. */
  required: z.boolean().default(false),
  /** The most characters of a text. */
  maxLength: z.int().min(1).max(2000).default(200),
  /** The least value of an integer or a decimal. */
  min: z.number().optional(),
  /** The greatest value of an integer or a decimal. */
  max: z.number().optional(),
  /** Digits behind the point of a decimal, which has 15 digits altogether. */
  scale: z.int().min(0).max(10).default(2),
  /** The members of an enumeration by name. Rows keep the numbers. */
  values: z.record(z.string(), z.int().min(0).max(32767)).optional(),
  /** The labels of the members of an enumeration: by member, then by culture. */
  valueLabels: z.record(z.string(), labels).default({}),
  /** The value of new rows that are given none. Rows that exist are not changed. */
  default: z.union([z.string(), z.number(), z.boolean()]).optional(),
  /** The label in forms and files by culture (`en`, `de`); the name of the field where there is none. */
  label: labels,
  /** The permission to see the field and to set it. All callers that see the entity may when not given. */
  permission: z.string().optional(),
  /** One more permission, which only setting the field needs. */
  writePermission: z.string().optional(),
  /** True gives the field an index, for filters and orders over many rows. */
  indexed: z.boolean().default(false),
})
export type OwnFieldOptions = z.output<typeof OwnFieldOptions>

/** A field that an installation or another module adds to an entity. Its values stand in `ExtraProperties`. */
export interface OwnField extends OwnFieldOptions {
  /** Module and entity: `Hub.Shipment`. */
  readonly entity: string
  readonly name: string
}

/** The most characters of a text with an index: PostgreSQL refuses rows whose keys take more than some 2,700 bytes. */
const longestIndexed = 500

/** Names that may stand in SQL and in the URLs of OData as they are. */
const fieldName = /^[A-Z][A-Za-z0-9]{0,39}$/

/**
 * Declares a field in code, for the list `ownFields` of a module. Configuration declares fields in the section `OwnFields`.
 * Throws for a name or an option that no field can have.
 * @example ownField('Hub.Shipment', 'CostCentre', { type: 'text', maxLength: 20, label: { en: 'Cost centre' } })
 */
export function ownField(entity: string, name: string, options: z.input<typeof OwnFieldOptions>): OwnField {
  const place = `The own field ${entity}.${name}`
  if (!fieldName.test(name))
    throw new Error(`${place}: a name has up to 40 letters and digits, and begins with an upper-case letter`)
  const { data, error } = OwnFieldOptions.safeParse(options)
  if (error)
    throw new Error(
      `${place}: ${error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')}`,
    )
  const members = Object.keys(data.values ?? {})
  if ((data.type === 'enumeration') !== members.length > 0)
    throw new Error(
      `${place}: ${data.values ? `the type ${data.type} has no values` : 'an enumeration needs values'}`,
    )
  const odd = members.find((member) => !fieldName.test(member))
  if (odd !== undefined)
    throw new Error(`${place}: the value ${odd} needs a name like that of a field: Urgent, Normal`)
  if (data.indexed && data.type === 'text' && data.maxLength > longestIndexed)
    throw new Error(`${place}: a text with an index has a maxLength of ${longestIndexed} at most`)
  return { entity, name, ...data }
}

const mark = 'x-own-fields'

/**
 * The member `extraProperties` of answers and inputs of an entity: its own fields by name. In a change, absent fields stay and null clears. Names
 * that no field has are ignored, as ABP ignores them.
 * @param entity module and entity, by which fields are declared
 * @example extraProperties: ownFields('Hub.Shipment')
 */
export function ownFields(entity: string): z.ZodOptional<z.ZodRecord<z.ZodString, z.ZodUnknown>> {
  const schema = extraProperties()
    .nullish()
    .meta({ [mark]: entity })
  // Null counts as absent: the check of own fields drops it before a service sees it.
  return schema as unknown as z.ZodOptional<z.ZodRecord<z.ZodString, z.ZodUnknown>>
}

const openMark = 'x-own-fields-open'

/**
 * Has a member `extraProperties` hold the own fields of an entity, beside properties that no field declares: these are kept, and shown to everybody
 * who sees the row. For rows whose extra properties other programs use too, such as ABP's users.
 * @param entity module and entity, by which fields are declared
 * @param schema of the member, in an answer or in an input
 * @example extraProperties: openOwnFields('Identity.User', extraProperties().nullish())
 */
export function openOwnFields<S extends z.ZodType>(entity: string, schema: S): S {
  return schema.meta({ ...schema.meta(), [mark]: entity, [openMark]: true })
}

/** The entity whose own fields a member has; undefined for other members. */
export function ownFieldsOf(schema: z.ZodType): string | undefined {
  return markOf(schema, mark) as string | undefined
}

/** True for a member that keeps properties beside the own fields: {@link openOwnFields}. */
export function keepsOtherProperties(schema: z.ZodType): boolean {
  return markOf(schema, openMark) === true
}

function markOf(schema: z.ZodType, name: string): unknown {
  const found = schema.meta()?.[name]
  const { innerType } = schema._zod.def as { readonly innerType?: z.ZodType }
  return found ?? (innerType && markOf(innerType, name))
}
