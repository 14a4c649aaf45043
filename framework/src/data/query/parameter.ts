/**
 * The facts about a request that a plan depends on. The plan is right for every request of the same shape
 * with the same facts: planning read nothing else of the inputs, so it would give the same plan for that
 * request.
 */
export class Assumptions {
  /** The numbers of the inputs that must be the same, letter by letter. */
  readonly deciding = new Set<number>()
  private readonly facts = new Map<Parameter<unknown>, unknown>()

  /** A value that is computed from inputs must be the same. */
  expect(parameter: Parameter<unknown>, value: unknown): void {
    this.facts.set(parameter, value)
  }

  get factCount(): number {
    return this.facts.size
  }

  /**
   * A run with the inputs of a request, whose deciding inputs are the same. Undefined when the plan is not for that request: the request is to
   * be planned anew, and ends then with an error if an input is wrong.
   */
  runWith(inputs: readonly unknown[]): ParameterRun | undefined {
    const run = new ParameterRun(inputs)
    try {
      for (const [parameter, value] of this.facts) if (run.valueOf(parameter) !== value) return undefined
      return run
    } catch {
      return undefined
    }
  }
}

/** The inputs of one request by their numbers, and the values of parameters as far as they are computed. */
export class ParameterRun {
  private readonly values = new Map<Parameter<unknown>, unknown>()

  constructor(readonly inputs: readonly unknown[]) {}

  /** The value of a parameter, computed once. Anything else is its own value, also in lists. */
  valueOf<T>(value: T): Plain<T> {
    if (Array.isArray(value)) return value.map((one: unknown) => this.valueOf(one)) as Plain<T>
    if (!(value instanceof Parameter)) return value as Plain<T>
    if (!this.values.has(value)) this.values.set(value, value.compute(this))
    return this.values.get(value) as Plain<T>
  }
}

/** The type of a parameter's value; of lists, that of a list of values. */
export type Plain<T> = T extends Parameter<infer V> ? V : T

/** A constant of a plan that is computed from inputs of the request in every run. */
export class Parameter<out T = unknown> {
  private constructor(
    private readonly assumptions: Assumptions,
    private readonly inputs: readonly number[],
    /** The value in the request that the plan is made for. */
    private readonly first: T,
    readonly compute: (run: ParameterRun) => T,
  ) {}

  /** A parameter that is computed from one input. @param input its number @param first the input of the request that the plan is made for */
  static of<I, T>(assumptions: Assumptions, input: number, first: I, compute: (input: I) => T): Parameter<T> {
    return new Parameter(assumptions, [input], compute(first), ({ inputs }) => compute(inputs[input] as I))
  }

  /** A value that is computed from others: a parameter where one of these is. */
  static from<const V extends readonly unknown[], T>(
    values: V,
    compute: (values: { readonly [K in keyof V]: Plain<V[K]> }) => T,
  ): T | Parameter<T> {
    type Values = { readonly [K in keyof V]: Plain<V[K]> }
    const parameters = values.filter((value) => value instanceof Parameter)
    const [one] = parameters
    const first = values.map((value) => (value instanceof Parameter ? value.first : value))
    const made = compute(first as unknown as Values)
    if (!one) return made
    const inputs = parameters.flatMap(({ inputs }) => inputs)
    return new Parameter(one.assumptions, inputs, made, (run) =>
      compute(values.map((value) => run.valueOf(value)) as unknown as Values),
    )
  }

  /** The value itself. The plan is for requests with the same inputs from here on. */
  decide(): T {
    for (const input of this.inputs) this.assumptions.deciding.add(input)
    return this.first
  }

  /** The value itself, one of few. The plan is for requests with the same value from here on. */
  expect(): T {
    this.assumptions.expect(this, this.first)
    return this.first
  }
}

/** A value that is computed from another: a parameter where that is one. */
export function mapParameter<V, T>(value: V, compute: (value: Plain<V>) => T): T | Parameter<T> {
  return Parameter.from([value], ([one]) => compute(one))
}

/** The value of what may be a parameter; the plan is for requests with the same inputs from here on. */
export function decided<V>(value: V): Plain<V> {
  return (value instanceof Parameter ? value.decide() : value) as Plain<V>
}

/**
 * The result of a test on a value that may be a parameter. From here on, the plan is only for requests with
 * the same result.
 */
export function expected<V, T extends string | number | boolean | undefined>(
  value: V,
  test: (value: Plain<V>) => T,
): T {
  const found = mapParameter(value, test)
  return found instanceof Parameter ? found.expect() : found
}

/** A text that may be a parameter. */
export type Text = string | Parameter<string>

/** Texts one behind the other. */
export function joinTexts(texts: readonly Text[]): Text {
  return Parameter.from(texts, (parts) => parts.join(''))
}
