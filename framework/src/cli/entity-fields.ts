import { Model } from 'sequelize'
import { InputError } from '../modularity/input-error.js'
import { nearestName } from '../modularity/nearest-name.js'
import { capitalized, words } from './names.js'

/** A field of a new entity as its files write it. */
export interface EntityField {
  /** The attribute of entity and DTO: `organizationId`. */
  readonly name: string
  /** The end of the key of its label: `Organization`. */
  readonly label: string
  readonly isRequired: boolean
  readonly isUnique: boolean
  /** Lists, lookups and OData search it: a short text. */
  readonly isSearched: boolean
  /** Its schema in the DTO, without what makes it optional. */
  readonly schema: string
  readonly columnType: string
  /** Further options of the column's decorator, in TypeScript; empty for none. */
  readonly columnOptions: string
  readonly type: string
  readonly sqlType: string
  /** The condition that the database checks, in SQL behind the column; undefined for none. Numbers that JSON lacks are refused. */
  readonly check: string | undefined
  /** Two values in TypeScript, for tests. */
  readonly samples: readonly [string, string]
  /** The entity that it refers to. */
  readonly reference: string | undefined
  /** The enumeration that is declared for it. */
  readonly enumeration: { readonly name: string; readonly members: readonly string[] } | undefined
}

/** The fields of an entity for which none are named. */
export const defaultFields = 'code:string(10)! unique, name:string(100)!'

interface FieldType
  extends Pick<EntityField, 'schema' | 'columnType' | 'type' | 'sqlType' | 'samples'>,
    Partial<Pick<EntityField, 'columnOptions' | 'check' | 'reference' | 'enumeration' | 'isSearched'>> {}

interface Written {
  readonly name: string
  readonly isRequired: boolean
  readonly argument: string | undefined
  /** The entity that the field is of: `Warehouse`. */
  readonly Entity: string
}

/** The types that a field can have; each throws {@link InputError} when its argument does not fit. */
const types: Readonly<Record<string, { readonly usage?: string; make(written: Written): FieldType }>> = {
  string: {
    usage: 'string(<longest>)',
    make: (written) => {
      const longest = numberIn(written, 1, 4000)
      return {
        schema: `z.string().trim()${written.isRequired ? '.min(1)' : ''}.max(${longest})`,
        columnType: `DataType.STRING(${longest})`,
        type: 'string',
        sqlType: `varchar(${longest})`,
        samples: [`'${'First'.slice(0, longest)}'`, `'${'Second'.slice(0, longest)}'`],
        isSearched: longest <= 500,
      }
    },
  },
  text: plain({
    schema: 'z.string().max(10_000)',
    columnType: 'DataType.TEXT',
    type: 'string',
    sqlType: 'text',
    samples: ["'A first text.'", "'A second text.'"],
  }),
  int: plain({
    schema: 'z.int().min(-2147483648).max(2147483647)',
    columnType: 'DataType.INTEGER',
    type: 'number',
    sqlType: 'integer',
    samples: ['1', '2'],
  }),
  decimal: {
    usage: 'decimal(<digits>, <behind the point>)',
    make: (written) => {
      const [digits = 0, scale = -1] = (written.argument ?? '').split(',').map((text) => wholeNumber(text))
      if (!(digits >= 1 && digits <= 38 && scale >= 0 && scale <= digits))
        throw fault(
          written.name,
          'is written decimal(18, 2): up to 38 digits, and how many of them are behind the point',
        )
      const sample = (digit: string): string =>
        `'${digits > scale ? digit : '0'}${scale ? `.${digit.repeat(scale)}` : ''}'`
      return {
        schema: `decimal(${digits}, ${scale})`,
        columnType: `DataType.DECIMAL(${digits}, ${scale})`,
        type: 'string',
        sqlType: `numeric(${digits},${scale})`,
        check: "<> 'NaN'",
        samples: [sample('1'), sample('2')],
      }
    },
  },
  number: plain({
    schema: 'z.number()',
    columnType: 'DataType.DOUBLE',
    type: 'number',
    sqlType: 'double precision',
    check: "not in ('NaN', 'Infinity', '-Infinity')",
    samples: ['1.5', '2.5'],
  }),
  bool: plain({
    schema: 'z.boolean()',
    columnType: 'DataType.BOOLEAN',
    type: 'boolean',
    sqlType: 'boolean',
    samples: ['true', 'false'],
  }),
  date: plain({
    schema: 'calendarDate()',
    columnType: 'DataType.DATEONLY',
    type: 'string',
    sqlType: 'date',
    samples: ["'2026-11-23'", "'2026-12-24'"],
  }),
  instant: plain({
    schema: 'instant()',
    columnType: 'DataType.DATE',
    type: 'Date',
    sqlType: 'timestamptz',
    samples: ["new Date('2026-11-23T12:00:00Z')", "new Date('2026-12-24T18:00:00Z')"],
  }),
  guid: plain({
    schema: 'guid()',
    columnType: 'DataType.UUID',
    type: 'string',
    sqlType: 'uuid',
    samples: ["'00000000-0000-4000-8000-000000000001'", "'00000000-0000-4000-8000-000000000002'"],
  }),
  enum: {
    usage: 'enum(<Member>|<Member>|…)',
    make: ({ name, argument = '', Entity }) => {
      const members = argument.split('|').map((member) => member.trim())
      const [first, second = first] = members
      if (new Set(members).size !== members.length || members.some((member) => !/^[A-Z]\w*$/.test(member)))
        throw fault(name, 'is written enum(Open|Closed): different members, each with a capital letter')
      const enumeration = `${Entity}${capitalized(name)}`
      return {
        schema: `enumeration('${enumeration}', ${enumeration})`,
        columnType: 'DataType.SMALLINT',
        columnOptions: `enumeration: { ${enumeration} }`,
        type: enumeration,
        sqlType: 'smallint',
        check: `between 0 and ${members.length - 1}`,
        samples: [`${enumeration}.${first}`, `${enumeration}.${second}`],
        enumeration: { name: enumeration, members },
      }
    },
  },
  reference: {
    usage: 'reference(<Entity>)',
    make: ({ name, argument = '' }) => {
      if (!/^[A-Z]\w*$/.test(argument.trim()))
        throw fault(name, 'is written reference(Organization): the class of an entity of the same module')
      const reference = argument.trim()
      return {
        schema: 'guid()',
        columnType: 'DataType.UUID',
        columnOptions: `references: () => ${reference}`,
        type: 'string',
        sqlType: 'uuid',
        samples: [`${name}Id`, `${name}Id`],
        reference,
      }
    },
  },
}

/** Names that the bases of entities and DTOs have already. */
const taken = new Set([
  ...['id', 'tenantId', 'creationTime', 'creatorId', 'lastModificationTime', 'lastModifierId', 'isDeleted'],
  ...['deleterId', 'deletionTime', 'concurrencyStamp', 'extraProperties', 'isActive', 'constructor'],
  ...Object.getOwnPropertyNames(Model.prototype),
])

/**
 * Reads `name:string(100)!, capacity:int, organization:reference(Organization)`. `!` says that a field is
 * required, and `unique` that no two rows have the same value. Throws {@link InputError} that names the field
 * and what is expected of it.
 */
export function readFields(text: string, Entity: string): EntityField[] {
  const fields = text
    .split(/,(?![^(]*\))/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => readField(part, Entity))
  if (fields.length === 0) throw new InputError(`No fields are named. ${fieldGrammar}`)
  const twice = fields.find(({ name }, index) => fields.findIndex((other) => other.name === name) !== index)
  if (twice) throw fault(twice.name, 'is there twice')
  return fields
}

/** How fields are written, for people. */
export const fieldGrammar = `Fields are written name:type, with ! behind required ones and unique behind that, between commas. Types: ${Object.entries(
  types,
)
  .map(([name, { usage }]) => usage ?? name)
  .join(', ')}.`

function readField(text: string, Entity: string): EntityField {
  const [, written = '', typeName = '', argument, mark, unique] =
    /^(\w+)\s*:\s*(\w+)\s*(?:\(([^()]*)\))?\s*(!)?\s*(unique)?$/.exec(text) ?? []
  if (!written) throw new InputError(`"${text}" is no field. ${fieldGrammar}`)
  if (!/^[a-z][a-zA-Z0-9]*$/.test(written))
    throw fault(written, 'is no name of a field: write it like name or capacityPallets')
  const type = Object.hasOwn(types, typeName) ? types[typeName] : undefined
  if (!type) {
    const near = nearestName(typeName, Object.keys(types))
    throw fault(
      written,
      `has an unknown type ${typeName}.${near ? ` Did you mean ${near}?` : ''} ${fieldGrammar}`,
    )
  }
  const isRequired = mark !== undefined
  const made = type.make({ name: written, isRequired, argument, Entity })
  const name = made.reference ? `${written}Id` : written
  if (capitalized(written) === Entity) throw fault(written, 'is called like the entity, which OData refuses')
  if (taken.has(name)) throw fault(name, 'is a name that every entity has already')
  return {
    isSearched: false,
    columnOptions: '',
    check: undefined,
    reference: undefined,
    enumeration: undefined,
    ...made,
    name,
    label: capitalized(written),
    isRequired,
    isUnique: unique !== undefined,
  }
}

/** A type without an argument. */
function plain(type: FieldType) {
  return {
    make: ({ name, argument }: Written): FieldType => {
      if (argument !== undefined) throw fault(name, `has a type that takes no (${argument})`)
      return type
    },
  }
}

function numberIn({ name, argument = '' }: Written, least: number, most: number): number {
  const number = wholeNumber(argument)
  if (number >= least && number <= most) return number
  throw fault(name, `needs a length from ${least} to ${most}, as in string(100)`)
}

const wholeNumber = (text: string): number => (/^\s*\d{1,9}\s*$/.test(text) ? Number(text) : Number.NaN)

const fault = (field: string, what: string): InputError => new InputError(`The field ${field} ${what}`)

/** The label of a field in English: `Bonded` of `isBonded`. */
export const labelOf = ({ label }: EntityField): string =>
  capitalized(words(label.replace(/^Is(?=[A-Z])/, '')).toLowerCase())
