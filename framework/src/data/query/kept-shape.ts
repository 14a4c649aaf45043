import type { ColumnMeta, EntityMeta } from '../entities/entity.js'
import { typeKey } from '../entities/text-columns.js'
import type { RowVariable } from './expression.js'
import { type Member, type NotePart, type RowShape, rowVersion } from './query-tree.js'
import type { Scalar } from './scalars.js'
import type { JsonStyle } from './storage.js'

/** Which row, and which version of it: what {@link versionsOf} shows of each. */
export interface VersionOfRow {
  readonly id: string
  readonly version: string
  /** JSON of the members that the version does not decide; undefined when there are none. */
  readonly passing?: string
}

/** A shape that tells rows and their versions, as {@link VersionOfRow}, and the members of a row that the versions do not decide. */
export function versionsOf(row: RowVariable, id: ColumnMeta, passing: readonly Member[]): RowShape {
  const note = (name: keyof VersionOfRow, column: ColumnMeta): Member => ({
    kind: 'note',
    name,
    parts: [{ column, type: 'Int64' }],
  })
  const told = [note('id', id), note('version', rowVersion)]
  if (!passing.length) return { row, members: told }
  return { row, members: [...told, { kind: 'object', name: 'passing', members: passing, isText: true }] }
}

/** The column that names rows of an entity: a GUID; undefined for entities with other keys. */
export function idOf({ columns }: EntityMeta): ColumnMeta | undefined {
  const keys = [...columns.values()].filter(({ primaryKey }) => primaryKey)
  const [id] = keys
  return id && keys.length === 1 && typeKey(id) === 'UUID' ? id : undefined
}

/** The members of a row by what decides their JSON. */
export interface MemberParts {
  /** The version of the row, and the versions of the tables whose rows stand inside of these members. */
  readonly lasting: readonly Member[]
  /** The entities of which rows are shown inside of {@link lasting} members. */
  readonly inside: readonly EntityMeta[]
  /**
   * More than that: computed values, several related rows, and related rows that change often, are not watched in all their columns, or are not
   * shown to everybody.
   */
  readonly passing: readonly Member[]
}

/** The members of a row in two parts, each in their order. */
export function partsOf({ members }: Pick<RowShape, 'members'>): MemberParts {
  const lasting: Member[] = []
  const passing: Member[] = []
  const found: EntityMeta[] = []
  for (const member of members) {
    const inside = entitiesInsideOf(member)
    if (inside) lasting.push(member)
    else passing.push(member)
    found.push(...(inside ?? []))
  }
  return { lasting, passing, inside: [...new Set(found)] }
}

/** The entities of which rows are shown inside a row; undefined where some member is a passing one. */
function entitiesInside(shape: Pick<RowShape, 'members'>): readonly EntityMeta[] | undefined {
  const { passing, inside } = partsOf(shape)
  return passing.length ? undefined : inside
}

function entitiesInsideOf(member: Member): readonly EntityMeta[] | undefined {
  switch (member.kind) {
    case 'column':
    case 'list':
    case 'objects':
      return []
    case 'note':
      return member.isDynamic || member.isPresent || member.ofRest ? undefined : []
    case 'object':
      return member.isNull || member.isPresent ? undefined : entitiesInside(member)
    case 'one': {
      const { target } = member.relation
      const { watched, unwatched, referred, rules } = target
      const isForAll = watched && !unwatched.length && referred === 'held' && !rules.length
      const inside = isForAll ? entitiesInside(member.shape) : undefined
      return inside && [target, ...inside]
    }
    default:
      return undefined
  }
}

/** A text that two rows have in common when the same SQL writes their members; undefined where values of a request stand in them. */
export function formOf(
  { table }: EntityMeta,
  members: readonly Member[],
  style: JsonStyle,
): string | undefined {
  const form = formsOf(members)
  return form && JSON.stringify([table, style.ieee754, ...form])
}

function formsOf(members: readonly Member[]): unknown[] | undefined {
  const forms = members.map(formOfMember)
  return forms.includes(undefined) ? undefined : forms
}

function formOfMember(member: Member): unknown[] | undefined {
  const { kind, name } = member
  switch (kind) {
    case 'column':
    case 'list':
      return [kind, name, numberOf(member.column), nameOf(member.type)]
    case 'objects':
      return [kind, name, numberOf(member.column), ...member.members.map(numberOf)]
    case 'note': {
      const parts = member.parts?.map(formOfPart)
      return parts?.includes(undefined) ? undefined : [kind, name, parts]
    }
    case 'object':
      return withForms([kind, name], member.members)
    case 'one': {
      const { own, theirs, target } = member.relation
      return withForms([kind, name, numberOf(own), numberOf(theirs), target.table], member.shape.members)
    }
    default:
      return undefined
  }
}

function withForms(head: unknown[], members: readonly Member[]): unknown[] | undefined {
  const forms = formsOf(members)
  return forms && [...head, forms]
}

function formOfPart(part: NotePart): unknown {
  if (typeof part === 'string') return part
  if ('column' in part) return [numberOf(part.column), nameOf(part.type)]
  return 'version' in part ? [] : undefined
}

const nameOf = (type: Scalar): string | number => (typeof type === 'string' ? type : numberOf(type))

/** Numbers of what has no name: of columns and types there is one each. */
const numbers = new WeakMap<object, number>()
let lastNumber = 0

function numberOf(thing: object): number {
  const number = numbers.get(thing) ?? ++lastNumber
  numbers.set(thing, number)
  return number
}
