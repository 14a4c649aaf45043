import {
  type AnyDto,
  dtoOf,
  fieldPermissionOf,
  fieldsOf,
  kebab,
  type OwnField,
  type OwnFieldType,
  pascalCase,
  unwrap,
  wireKind,
  type z,
} from '../../contracts/index.js'
import { ambient } from '../../modularity/ambient.js'
import { lackedBy } from '../../modularity/field-rights.js'
import type { Localization } from '../../modularity/localization.js'
import { ownFieldLabel, ownValueLabel, schemaOf } from '../../modularity/own-fields.js'
import type { CellKind, SheetColumns, SheetRow, SpreadsheetFormat } from '../../spreadsheets/index.js'
import type { EntityMeta } from '../entities/entity.js'
import { type TranslatedNames, translatedName } from './translated-names.js'

/** How a list is written as a file. */
export interface SheetOptions {
  /** Without its ending; the entity in kebab-case when not given. */
  readonly fileName?: string
  /**
   * The columns from left to right: the name of each with the member that it shows, e.g. `departurePort: 'originPort.unLocode'`. When not given, all
   * plain members of the DTO without ids and stamps, and references by their code.
   */
  readonly columns?: Readonly<Record<string, string>>
  /** The names by language that replace the member `name` of delivered rows. */
  readonly translated?: TranslatedNames
}

/** A column of a {@link ListSheet}. */
export interface ListColumn {
  readonly name: string
  /** The members that lead to its value. */
  readonly path: readonly string[]
  readonly kind: CellKind
  /** The permissions of the members on its path. */
  readonly permissions: readonly string[]
  /** The name of the enumeration that the values are of, and its members by value. */
  readonly enumeration: { readonly name: string; readonly byValue: ReadonlyMap<number, string> } | undefined
}

/** Where a file takes its texts from. */
export interface SheetTexts {
  readonly localization: Pick<Localization, 'find' | 'label'>
  /** The module that has the entity. */
  readonly module: string
  readonly culture: string
  /** CSV has no truth values of its own, so that they are texts there. */
  readonly format: SpreadsheetFormat
  /** The own fields that the caller may see: the last columns. */
  readonly ownFields: readonly OwnField[]
}

/** A list of an entity as rows of a spreadsheet: columns from its DTO, headers and enumerations in a language. Made once. */
export class ListSheet {
  readonly fileName: string
  readonly columns: readonly ListColumn[]
  private readonly translated: TranslatedNames | undefined

  /** Throws for a column that shows no plain member of the DTO. */
  constructor(
    readonly meta: EntityMeta,
    dto: AnyDto,
    { fileName = kebab(meta.name), columns = shownMembers(dto), translated }: SheetOptions = {},
  ) {
    this.fileName = fileName
    this.translated = translated
    this.columns = Object.entries(columns).map(([name, path]) => columnOf(meta, dto, name, path))
  }

  /** The columns that the caller at hand may see, headed by their labels ({@link Localization.label}), else their names. */
  headed({ localization, module, culture, format, ownFields }: SheetTexts): SheetColumns {
    const { principal } = ambient()
    const seen = this.columns.filter(({ permissions }) => !lackedBy(principal, permissions).length)
    const declared = seen.map(({ name, kind }) => {
      const key = pascalCase(name)
      return { name, kind, header: localization.label(module, this.meta.name, key, culture) ?? key }
    })
    const own = ownSheetColumns(ownFields, { localization, culture, format })
    return Object.fromEntries(
      [...declared, ...own].map(({ name, header, kind: given }) => {
        const kind = given === 'boolean' && format === 'csv' ? 'text' : given
        return [name, { header, kind, ...(kind === 'text' && { width: Math.max(20, header.length + 2) }) }]
      }),
    )
  }

  /** The rows of a sheet from rows of the list as JSON. */
  async *rows(
    lists: AsyncIterable<readonly string[]>,
    texts: SheetTexts,
  ): AsyncGenerator<SheetRow<SheetColumns>> {
    const cells = [
      ...this.columns.map((column) => [column.name, this.cellOf(column, texts)] as const),
      ...ownSheetColumns(texts.ownFields, texts).map(({ name, cell }) => [name, cell] as const),
    ]
    for await (const list of lists)
      for (const json of list) {
        const row = JSON.parse(json) as object
        yield Object.fromEntries(cells.map(([name, cell]) => [name, cell(row)]))
      }
  }

  private cellOf(column: ListColumn, texts: SheetTexts): Cell {
    const { translated } = this
    if (!translated || column.path.join('.') !== 'name') return cellOf(column, texts)
    return (row) => translatedName(translated, row as NamedRow, texts.localization, texts.culture)
  }
}

interface NamedRow {
  readonly id: string
  readonly name: string
}

/** The columns of a DTO when none are named. */
function shownMembers(dto: AnyDto): Readonly<Record<string, string>> {
  const columns: Record<string, string> = {}
  for (const [name, schema] of fieldsOf(dto)) {
    const reference = dtoOf(unwrap(schema))
    const shown = reference && naturalCode(reference)
    if (shown) columns[name] = `${name}.${shown}`
    else if (!reference && name !== 'concurrencyStamp' && !isIdMember(schema) && cellKindOf(schema))
      columns[name] = name
  }
  return columns
}

/** The member by which people know a row: its code, else its first text. */
function naturalCode(dto: AnyDto): string | undefined {
  if ('code' in dto.shape) return 'code'
  return fieldsOf(dto).find(([, schema]) => !isIdMember(schema) && cellKindOf(schema) === 'text')?.[0]
}

function columnOf({ name: entity }: EntityMeta, dto: AnyDto, name: string, path: string): ListColumn {
  const parts = path.split('.')
  let owner: AnyDto | undefined = dto
  let schema: z.ZodType | undefined
  const permissions: string[] = []
  for (const part of parts) {
    schema = owner && (owner.shape[part] as z.ZodType | undefined)
    const permission = schema && fieldPermissionOf(schema)
    if (permission !== undefined) permissions.push(permission)
    owner = schema && dtoOf(unwrap(schema))
  }
  const kind = schema && cellKindOf(schema)
  if (!schema || !kind)
    throw new Error(
      `The column ${name} of a file of ${entity} shows ${path}, which is no plain member of ${dto.name}`,
    )
  return { name, path: parts, kind, permissions, enumeration: enumerationOf(schema) }
}

/** The enumeration that the values of a member are of, written as numbers; undefined for other members. */
export function enumerationOf(schema: z.ZodType): ListColumn['enumeration'] {
  const wire = wireKind(schema)
  if (wire?.kind !== 'enum') return undefined
  const members = Object.entries(wire.members)
  return { name: wire.name, byValue: new Map(members.map(([member, value]) => [value, member])) }
}

/** True for a member that is the id of a row. */
export function isIdMember(schema: z.ZodType): boolean {
  const { format } = unwrap(schema)._zod.def as z.core.$ZodTypeDef & { format?: string }
  return format === 'guid' || format === 'uuid'
}

/** The kind of cell that shows a member; undefined for objects, lists and files. */
export function cellKindOf(schema: z.ZodType): CellKind | undefined {
  const wire = wireKind(schema)
  if (wire)
    return (
      {
        instant: 'instant',
        date: 'date',
        decimal: 'decimal',
        enum: 'text',
        enumName: 'text',
        file: undefined,
      } as const
    )[wire.kind]
  const { type } = unwrap(schema)._zod.def
  return ({ string: 'text', number: 'number', boolean: 'boolean' } as Partial<Record<string, CellKind>>)[type]
}

/** Makes a value of a cell of a row. Made once for a file: a text is looked up once for each value of an enumeration. */
function cellOf({ path, kind, enumeration }: ListColumn, texts: SheetTexts): Cell {
  const { localization, culture } = texts
  const read = (row: object): unknown => valueAt(row, path)
  if (enumeration) {
    const shown = new Map(
      [...enumeration.byValue].map(([value, member]) => [
        value,
        localization.find(`Enum:${enumeration.name}.${value}`, culture) ?? member,
      ]),
    )
    return (row) => {
      const value = read(row)
      return value === null || value === undefined ? null : (shown.get(value as number) ?? String(value))
    }
  }
  const shown = plainCell(kind, texts)
  return (row) => shown(read(row))
}

/** An own field as a column of a sheet. */
export interface OwnSheetColumn {
  readonly name: string
  /** The label of the field. */
  readonly header: string
  readonly kind: CellKind
  /** The value of a row that has the member `extraProperties`. */
  readonly cell: (row: object) => SheetRow<SheetColumns>[string]
}

/** Makes columns of own fields. */
export function ownSheetColumns(
  fields: readonly OwnField[],
  texts: Pick<SheetTexts, 'localization' | 'culture' | 'format'>,
): readonly OwnSheetColumn[] {
  return fields.map((field) => {
    const kind = ownCellKinds[field.type]
    return {
      name: ownColumnName(field),
      header: ownFieldLabel(field, texts.culture),
      kind: kind === 'boolean' && texts.format === 'csv' ? 'text' : kind,
      cell: ownCellOf(field, texts),
    }
  })
}

/** Makes the cell of an own field. A value of another type, which the field may have had before, is an empty cell. */
function ownCellOf(field: OwnField, texts: Pick<SheetTexts, 'localization' | 'culture' | 'format'>): Cell {
  const path = ['extraProperties', field.name]
  const members = new Map(
    Object.entries(field.values ?? {}).map(([member, value]) => [
      value,
      ownValueLabel(field, member, texts.culture),
    ]),
  )
  const shown = plainCell(ownCellKinds[field.type], texts)
  return (row) => {
    const value = valueAt(row, path)
    if (!schemaOf(field).safeParse(value).success) return null
    return field.values ? members.get(value as number) : shown(value)
  }
}

type Cell = (row: object) => SheetRow<SheetColumns>[string]

/** The kinds of cells that show own fields, by the types of the fields. */
export const ownCellKinds = {
  text: 'text',
  guid: 'text',
  enumeration: 'text',
  integer: 'number',
  decimal: 'decimal',
  boolean: 'boolean',
  date: 'date',
  instant: 'instant',
} as const satisfies Record<OwnFieldType, CellKind>

const ownColumnName = ({ name }: OwnField): string => `extraProperties.${name}`

function valueAt(row: object, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, part) => (value as Record<string, unknown> | null | undefined)?.[part],
    row,
  )
}

/** Makes cells of plain values of a kind. */
function plainCell(
  kind: CellKind,
  { localization, culture, format }: Pick<SheetTexts, 'localization' | 'culture' | 'format'>,
): (value: unknown) => SheetRow<SheetColumns>[string] {
  const [yes, no] = ['Yes', 'No'].map((key) => localization.find(key, culture) ?? key)
  return (value) => {
    if (value === null || value === undefined) return null
    if (kind === 'instant') return new Date(value as string)
    if (kind === 'boolean' && format === 'csv') return value ? yes : no
    return kind === 'decimal' ? String(value) : (value as string | number | boolean)
  }
}
