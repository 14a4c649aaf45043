import type { Value } from '../../data/query/expression.js'
import type { Member, RowShape } from '../../data/query/query-tree.js'
import type { Scalar } from '../../data/query/scalars.js'
import { conditionValue, truthOf, typeName } from '../model/value-types.js'
import { ODataError, say } from '../syntax/odata-error.js'
import type { QueryOptions } from '../syntax/syntax.js'
import type { Stage } from './apply-stage.js'
import { memberOf, type RecordInstance } from './expression-scope.js'
import type { RequestContext } from './request-context.js'

/** Types that JSON tells by itself. */
const plainTypes: ReadonlySet<Scalar> = new Set<Scalar>(['Boolean', 'String', 'Int32', 'Double'])

/** Those members of the rows that `$select` names. */
function selectedRecord({ select = [] }: QueryOptions, record: RecordInstance): RecordInstance {
  if (select.some(({ path }) => path[0] === '*')) return record
  const members = new Map<string, ReturnType<typeof memberOf> & object>()
  for (const { path, at } of select) {
    let found: ReturnType<typeof memberOf> = record
    for (const name of path) found = found && 'members' in found ? memberOf(found, name) : undefined
    if (!found)
      throw ODataError.invalid(
        say`Could not find a property named '${path.join('/')}' in the result of $apply.`,
        {
          target: '$select',
          at,
        },
      )
    // Of an object in the rows all is shown.
    const [first = ''] = path
    const known = [...record.members].find(([name]) => name.toLowerCase() === first.toLowerCase())
    if (known) members.set(known[0], known[1])
  }
  return { kind: 'record', members }
}

/** The shape of rows that are no entities any more, and the context fragment that names it. */
export function recordShape(
  context: RequestContext,
  options: QueryOptions,
  stage: Stage,
): { shape: RowShape; fragment: string } {
  const { instance, source, presence, missing, declared } = stage
  if (instance.kind === 'entity') throw new Error('Rows of entities have a shape of their own')
  if (options.expand)
    throw ODataError.invalid('$expand needs entities: groupby and aggregate leave none.', {
      target: '$expand',
    })
  const record = options.select ? selectedRecord(options, instance) : instance
  const { metadata, prefix } = context.format
  const idNote: Member = { kind: 'note', name: `${prefix}id`, parts: null, isDynamic: true }
  const notes = metadata === 'none' ? [] : [idNote]
  const membersOf = ({ members }: RecordInstance): Member[] =>
    [...members].flatMap(([name, member]): Member[] => {
      if ('members' in member) {
        const inner = membersOf(member)
        const flags = leavesOf(member).flatMap((value) => presence.get(value) ?? [])
        const object = {
          kind: 'object',
          name,
          members: [...notes, ...inner],
          isNull: missing.get(member),
        } as const
        return [flags.length ? { ...object, isPresent: flags } : object]
      }
      const isPresent = presence.get(member)
      const typed = declared.has(member)
        ? typeNote(context, name, member.type)
        : dynamicTypeNote(context, name, member, isPresent)
      return [...typed, { kind: 'value', name, value: member, isPresent }]
    })
  const namesOf = ({ members }: RecordInstance): string[] =>
    [...members].map(([name, member]) =>
      'members' in member ? `${name}(${namesOf(member).join(',')})` : name,
    )
  const shape: RowShape = { row: source.row, members: [...notes, ...membersOf(record)] }
  return { shape, fragment: `(${namesOf(record).join(',')})` }
}

function leavesOf(record: RecordInstance): Extract<ReturnType<typeof memberOf>, { type: unknown }>[] {
  return [...record.members.values()].flatMap((member) => ('members' in member ? leavesOf(member) : [member]))
}

/** The type of a declared property, which full metadata tells where JSON does not. */
export function typeNote(context: RequestContext, name: string, type: Scalar): Member[] {
  return showsType(context, type) ? [noteOf(context, name, type)] : []
}

/** Says whether an answer tells the type of a declared property. */
export function showsType({ format }: RequestContext, type: Scalar): boolean {
  return format.metadata === 'full' && !plainTypes.has(type)
}

/** A type as annotations tell it: `#Decimal`, `#Core.ShipmentStatus`. */
export function shownType({ namespace }: RequestContext, type: Scalar): string {
  return `#${typeName(type, namespace).replace(/^Edm\./, '')}`
}

/** The type of a list, of which JSON tells nothing. */
export function listNote(
  { format, namespace }: RequestContext,
  name: string,
  type: Scalar | { readonly name: string },
): Member[] {
  if (format.metadata !== 'full') return []
  const told = `#Collection(${typeName(type, namespace).replace(/^Edm\./, '')})`
  return [{ kind: 'note', name: `${name}${format.prefix}type`, parts: [told] }]
}

/**
 * The type of a value that the caller named, where the client can't tell it. @param isPresent true in rows
 * that have a value
 */
export function dynamicTypeNote(
  context: RequestContext,
  name: string,
  value: Value,
  isPresent?: Value,
): Member[] {
  const { type } = value
  if (context.format.metadata === 'none') return []
  const note = { ...noteOf(context, name, type), isDynamic: true }
  if (!plainTypes.has(type)) return [{ ...note, isPresent }]
  if (type !== 'Double') return []
  // Numbers that are not finite are texts in JSON.
  const values = ['NaN', 'Infinity', '-Infinity']
  const isText = conditionValue({ kind: 'in', value, values, orNull: false })
  const both = isPresent && conditionValue({ kind: 'and', conditions: [truthOf(isPresent), truthOf(isText)] })
  return [{ ...note, isPresent: both ?? isText }]
}

function noteOf(context: RequestContext, name: string, type: Scalar) {
  return {
    kind: 'note' as const,
    name: `${name}${context.format.prefix}type`,
    parts: [shownType(context, type)],
  }
}
