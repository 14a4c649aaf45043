import type { Expression, Literal, Path } from './syntax.js'

/** A property compared with a constant: `Status eq 'Booked'`. */
export interface Equality {
  /** The same for the same property. */
  readonly key: string
  readonly path: Path
  readonly literal: Literal
}

/** The comparison whose chains become a list: `a eq 1 or a eq 2` is `a in (1,2)`. */
export function listComparison(operator: string): 'eq' | 'ne' | undefined {
  return operator === 'or' ? 'eq' : operator === 'and' ? 'ne' : undefined
}

/** An operand of a chain of `or` or `and` that a list may hold. */
export function equalityIn(chain: string, operand: Expression | undefined): Equality | undefined {
  if (operand?.kind !== 'binary' || operand.operator !== listComparison(chain)) return undefined
  const [l, r] = operand.operands
  const [path, literal] = l?.kind === 'literal' ? [r, l] : [l, r]
  if (path?.kind !== 'path' || literal?.kind !== 'literal' || literal.type === 'json') return undefined
  if (typeof path.root === 'object') return undefined
  const names: string[] = [path.root ?? '']
  for (const step of path.steps) {
    if (step.kind !== 'name' && step.kind !== 'cast') return undefined
    names.push(step.kind === 'name' ? step.name : step.type)
  }
  return { key: names.join('/'), path, literal }
}

/** The operands of a chain, those that compare one property with several constants put together. */
export function withLists(
  chain: string,
  operands: readonly Expression[],
): readonly (Expression | readonly Equality[])[] {
  const found: (Expression | Equality[])[] = []
  const lists = new Map<string, { readonly at: number; readonly items: Equality[] }>()
  for (const operand of operands) {
    const equality = equalityIn(chain, operand)
    const list = equality && lists.get(equality.key)
    if (list) list.items.push(equality)
    else {
      const at = found.push(operand) - 1
      if (equality) lists.set(equality.key, { at, items: [equality] })
    }
  }
  for (const { at, items } of lists.values()) if (items.length > 1) found[at] = items
  return found
}
