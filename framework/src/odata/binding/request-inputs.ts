import { Assumptions, Parameter } from '../../data/query/parameter.js'

/** A node of the syntax with a text of the caller: a literal, a searched word, a segment, an option. */
export interface Input {
  readonly text: string
}

/** The syntax of a request without the texts in it, and these texts by their numbers. */
export interface RequestShape {
  /** Equal for two requests exactly when their syntax differs only in texts and positions. */
  readonly shape: string
  readonly inputs: readonly Input[]
}

/**
 * Separates the syntax of a request from its texts, the members `text`. Inputs are numbered in the order of
 * the syntax.
 * @param syntax the result of the parser: objects, lists, maps and plain values
 */
export function shapeOf(syntax: object): RequestShape {
  const inputs: Input[] = []
  let shape = ''
  write(syntax)
  return { shape, inputs }

  function write(node: unknown): void {
    // With its length in front, a text can't be taken for what follows it.
    if (typeof node === 'string') shape += `${node.length}'${node}`
    else if (typeof node !== 'object' || node === null) shape += `${String(node)},`
    else if (Array.isArray(node)) {
      shape += `${node.length}[`
      for (const one of node) write(one)
    } else if (node instanceof Map) write([...node])
    else writeMembers(node as Record<string, unknown>)
  }

  // Half as fast by Object.entries, and every request is written.
  function writeMembers(node: Record<string, unknown>): void {
    shape += '{'
    for (const name in node) {
      const member = node[name]
      if (name === 'at' || member === undefined) continue
      shape += `${name}:`
      if (name === 'text') inputs.push(node as unknown as Input)
      else write(member)
    }
    shape += '}'
  }
}

/**
 * Records how a binder uses the inputs of one request. The binder gets a copy of the syntax: an input whose
 * text is read from it decides, and its text becomes a part of the plan's key. A value that the binder
 * computes by {@link derive} is a parameter: every run of the plan computes it anew, by the same function.
 */
export class RequestInputs {
  readonly assumptions = new Assumptions()
  private readonly sources = new WeakMap<Input, Source>()

  /** A copy of the syntax that tells of its texts when they are read. */
  watched<T extends object>(syntax: T): T {
    const numbers = new Map(shapeOf(syntax).inputs.map((input, number) => [input, number]))
    const copy = (node: unknown): unknown => {
      if (typeof node !== 'object' || node === null) return node
      if (Array.isArray(node)) return node.map(copy)
      if (node instanceof Map) return new Map([...node].map(([name, value]) => [name, copy(value)]))
      const members = Object.fromEntries(Object.entries(node).map(([name, value]) => [name, copy(value)]))
      const number = numbers.get(node as Input)
      if (number === undefined) return members
      return this.watch(members as unknown as Input, { number, first: node as Input, view: (input) => input })
    }
    return copy(syntax) as T
  }

  /**
   * A value that is computed from an input: a parameter, unless the binder made the input itself. Errors of
   * the computation end the binding.
   */
  derive<I extends Input, T>(input: I, compute: (input: I) => T): T | Parameter<T> {
    const source = this.sources.get(input)
    if (!source) return compute(input)
    const { number, first, view } = source
    return Parameter.of(this.assumptions, number, first, (other: Input) => compute(view(other) as I))
  }

  /** The text of an input, as a parameter. */
  text(input: Input): string | Parameter<string> {
    return this.derive(input, ({ text }) => text)
  }

  /** An input in another form, which stands for the text of the first. */
  view<I extends Input, O extends Input>(input: I, make: (input: I) => O): O {
    const source = this.sources.get(input)
    if (!source) return make(input)
    const { number, first, view } = source
    const viewed = (other: Input) => make(view(other) as I)
    return this.watch(viewed(first) as O, { number, first, view: viewed })
  }

  private watch<I extends Input>(node: I, source: Source): I {
    const { text } = node
    const { deciding } = this.assumptions
    Object.defineProperty(node, 'text', {
      enumerable: true,
      get() {
        deciding.add(source.number)
        return text
      },
    })
    this.sources.set(node, source)
    return node
  }
}

/** Where an input comes from: its number, the input of the request at hand, and how it is seen. */
interface Source {
  readonly number: number
  readonly first: Input
  readonly view: (input: Input) => Input
}
