import {
  type AnyDto,
  fieldPermissionOf,
  fieldsOf,
  isDto,
  type OwnField,
  ownFieldsOf,
  pascalCase,
  type TextReference,
  type z,
} from '../contracts/index.js'
import {
  cellKindOf,
  enumerationOf,
  isIdMember,
  type ListColumn,
  ownCellKinds,
} from '../data/lists/list-sheet.js'
import type { ColumnTexts, ImportedColumn, ImportReference, ImportTarget } from '../data/stores/imports.js'
import { ambient } from '../modularity/ambient.js'
import { lackedBy } from '../modularity/field-rights.js'
import type { Localization } from '../modularity/localization.js'
import { nearestName } from '../modularity/nearest-name.js'
import {
  compileOwnFieldCheck,
  type OwnFields,
  ownFieldLabel,
  ownValueLabel,
} from '../modularity/own-fields.js'
import { type CellKind, isEmpty, type RawCell, type SheetColumns } from '../spreadsheets/index.js'

/** The most columns of a file. */
export const mostColumns = 200

/** A column of a file whose cells become members of an input. */
export interface ImportColumn {
  /** The technical name, which a header may be. */
  readonly name: string
  /** The member of the values of a row. */
  readonly member: string
  readonly kind: CellKind
  readonly enumeration: ImportedEnumeration | undefined
  readonly reference: ImportReference | undefined
  /** The header where it is not the label of the name. */
  readonly header: ImportedColumn['header']
  /** The permissions that it takes to write the member. */
  readonly permissions: readonly string[]
  /** A file without the column is refused. */
  readonly isRequired: boolean
  /** An empty cell clears the member; otherwise it counts as not given. */
  readonly isClearable: boolean
  /** The own field that its cells are the values of. */
  readonly own?: OwnField
}

/** The enumeration of a column. */
export type ImportedEnumeration = NonNullable<ListColumn['enumeration']> & {
  /** The label of a member where no text has it. */
  labelOf?(member: string, culture: string): string
}

/** The own fields of rows of a file. */
export interface ImportedOwnFields {
  /** The member of the input that holds them. */
  readonly member: string
  /** The check of those of a new row, and of those of a row that is there. See {@link compileOwnFieldCheck}. */
  readonly ofNew: ReturnType<typeof compileOwnFieldCheck>
  readonly ofChange: ReturnType<typeof compileOwnFieldCheck>
}

/** A fault of the header of a file. */
export interface HeaderFault extends TextReference {
  readonly header: string
}

/** The columns that the first row of a file declares. */
export interface UnderstoodHeader {
  /** The column of each place; undefined for columns that are passed over. */
  readonly columns: readonly (ImportColumn | undefined)[]
  /** The headers as they stand in the file. */
  readonly headers: readonly string[]
  readonly ignored: readonly string[]
  readonly faults: readonly HeaderFault[]
}

/** The columns that files for a list may have: those of its export, the plain members of the input of `create`, and own fields. */
export class ImportColumns {
  readonly columns: readonly ImportColumn[]
  /** Checks the input that is made of a row. */
  readonly input: AnyDto
  /** Undefined for a list whose rows have no own fields. */
  readonly own: ImportedOwnFields | undefined
  /** The names of columns that files show and nobody imports. */
  private readonly shown: readonly string[]

  /** @param module the module that has the entity */
  constructor(
    private readonly target: ImportTarget,
    private readonly module: string,
    ownFields: OwnFields,
  ) {
    const { contract, rows, sheet, options } = target
    const { references = {}, columns: further = {} } = options
    const input = rows?.input ?? contract.contract.operations.get('create')?.parameters[0]?.dto
    const result = rows?.shown ?? contract.contract.operations.get('get')?.result
    if (!input || !isDto(result))
      throw new Error(`${contract.contract.name} is importable(), but has no crud(…)`)
    this.input = input
    const columns: ImportColumn[] = []
    const shown: string[] = []
    const permissionsOf = (member: string): string[] =>
      [input.shape[member], result.shape[member]].flatMap(
        (schema) => (schema && fieldPermissionOf(schema as z.ZodType)) ?? [],
      )
    const add = (name: string, member: string, reference?: ImportReference): boolean => {
      const own = further[name]
      const schema = own?.schema ?? (input.shape[member] as z.ZodType | undefined)
      const kind = reference ? 'text' : schema && !isIdMember(schema) ? cellKindOf(schema) : undefined
      if (!kind || columns.some((column) => column.member === member)) return false
      columns.push({
        name,
        member,
        kind,
        enumeration: reference || !schema ? undefined : enumerationOf(schema),
        reference,
        header: (reference ?? own)?.header,
        permissions: permissionsOf(member),
        isRequired: schema !== undefined && !schema.safeParse(undefined).success,
        isClearable: schema === undefined || schema.safeParse(null).success,
      })
      return true
    }
    for (const { name, path } of sheet.columns) {
      const reference = references[name]
      const [member = '', ...further] = path
      const isAdded = reference
        ? add(name, reference.member, reference)
        : !further.length && add(name, member)
      if (!isAdded) shown.push(name)
    }
    for (const [name, reference] of Object.entries(references)) add(name, reference.member, reference)
    for (const [member] of fieldsOf(input)) add(member, member)
    for (const name of Object.keys(further)) add(name, name)
    const [holder] = fieldsOf(input).flatMap(([member, schema]) => {
      const fields = ownFields.of(ownFieldsOf(schema) ?? '')
      return fields.length ? [{ member, fields }] : []
    })
    if (holder) {
      const { member, fields } = holder
      this.own = {
        member,
        ofNew: compileOwnFieldCheck(fields, { member, isNew: true }),
        ofChange: compileOwnFieldCheck(fields, { member, isNew: false }),
      }
      columns.push(...fields.map((field) => ownImportColumn(field, member)))
    }
    this.columns = columns
    this.shown = shown
  }

  /** The header of a column in a language. */
  headerOf(
    { name, header }: Pick<ImportColumn, 'name'> & Partial<Pick<ImportColumn, 'header'>>,
    texts: ColumnTexts,
    culture: string,
  ): string {
    const key = pascalCase(name)
    return (
      header?.(texts, culture) ?? texts.label(this.module, this.target.store.meta.name, key, culture) ?? key
    )
  }

  /** The columns that the caller may write, for a template. */
  headed(texts: Localization, culture: string): SheetColumns {
    const { principal } = ambient()
    const own = this.columns.filter(({ permissions }) => !lackedBy(principal, permissions).length)
    return Object.fromEntries(
      own.map((column) => {
        const kind = column.kind === 'text' || column.enumeration ? 'text' : column.kind
        const header = this.headerOf(column, texts, culture)
        return [column.name, { header, kind, width: Math.max(16, header.length + 2) }]
      }),
    )
  }

  /** Finds the columns that a first row names: by their headers in the caller's language, or by their names. */
  understand(cells: readonly (RawCell | undefined)[], texts: Localization): UnderstoodHeader {
    const { culture } = ambient()
    const { columns, shown } = this
    return understandHeader(cells, {
      columns,
      shown,
      headerOf: (told) => this.headerOf(told, texts, culture),
    })
  }
}

/** The columns that a file may have. */
export interface KnownColumns {
  readonly columns: readonly ImportColumn[]
  /** The names of columns that files show and nobody imports; none when not given. */
  readonly shown?: readonly string[]
  /** The header of a column in the caller's language. */
  headerOf(column: Pick<ImportColumn, 'name'> & Partial<Pick<ImportColumn, 'header'>>): string
}

/** Finds the columns that a first row names: by their headers in the caller's language, or by their names. */
export function understandHeader(
  cells: readonly (RawCell | undefined)[],
  { columns: all, shown = [], headerOf }: KnownColumns,
): UnderstoodHeader {
  const { principal } = ambient()
  const known = new Map<string, ImportColumn | 'shown'>()
  const names: string[] = []
  const learn = (name: string, column: ImportColumn | 'shown'): void => {
    const told = column === 'shown' ? { name } : column
    const own = column === 'shown' ? undefined : column.own
    for (const text of [headerOf(told), name, ...(own ? [own.name] : [])]) {
      if (!known.has(text.toLowerCase())) known.set(text.toLowerCase(), column)
      if (column !== 'shown' && !lackedBy(principal, column.permissions).length) names.push(text)
    }
  }
  for (const column of all) learn(column.name, column)
  for (const name of shown) learn(name, 'shown')

  const faults: HeaderFault[] = []
  const ignored: string[] = []
  const found = new Set<ImportColumn>()
  const headers = cells.map((cell) => String(cell ?? '').trim())
  if (cells.length > mostColumns)
    faults.push({ header: '', key: 'Import:TooManyColumns', data: { most: mostColumns } })
  const columns = headers.slice(0, mostColumns).map((header, place) => {
    if (isEmpty(cells[place])) return undefined
    const column = known.get(header.toLowerCase())
    if (column === undefined) {
      const nearest = nearestName(header.slice(0, 100), names)
      faults.push({
        header,
        key: nearest === undefined ? 'Import:UnknownColumn' : 'Import:UnknownColumnNear',
        data: { header: header.slice(0, 100), nearest },
      })
      return undefined
    }
    if (column === 'shown') {
      ignored.push(header)
      return undefined
    }
    const [permission] = lackedBy(principal, column.permissions)
    if (permission !== undefined)
      faults.push({
        header,
        key: 'FieldPermissionRequired',
        data: { field: column.own?.name ?? column.member, permission },
      })
    if (found.has(column)) faults.push({ header, key: 'Spreadsheet:ColumnTwice', data: { header } })
    found.add(column)
    return column
  })
  const missing = all.filter((column) => column.isRequired && !found.has(column))
  if (missing.length) {
    const missed = missing.map((column) => headerOf(column)).join(', ')
    faults.push({ header: '', key: 'Spreadsheet:ColumnsMissing', data: { headers: missed } })
  }
  return { columns, headers, ignored, faults }
}

/** A column whose cells become a member of this schema. Throws for one that no cell holds. */
export function importColumnOf(name: string, schema: z.ZodType): ImportColumn {
  const kind = cellKindOf(schema)
  if (!kind) throw new Error(`No cell holds ${name}`)
  return {
    ...{ name, member: name, kind, enumeration: enumerationOf(schema) },
    ...{ reference: undefined, header: undefined, permissions: [] },
    isRequired: !schema.safeParse(undefined).success,
    isClearable: schema.safeParse(null).success,
  }
}

/** The column of an own field: headed by its label, its name, or its place in the input. */
function ownImportColumn(field: OwnField, holder: string): ImportColumn {
  const { entity, name, type, values, permission, writePermission, required } = field
  const member = `${holder}.${name}`
  return {
    name: member,
    member,
    kind: ownCellKinds[type],
    enumeration: values && {
      name: `${entity}${name}`,
      byValue: new Map(Object.entries(values).map(([key, value]) => [value, key])),
      labelOf: (key, culture) => ownValueLabel(field, key, culture),
    },
    reference: undefined,
    header: (_, culture) => ownFieldLabel(field, culture),
    permissions: [permission, writePermission].filter((one) => one !== undefined),
    isRequired: false,
    isClearable: !required,
    own: field,
  }
}
