import type { UnsupportedCode } from './unsupported.js'

/**
 * The syntax tree of the query options and the path of a request. Names are as the client wrote them and are
 * not looked up yet: the binder gives every name a meaning and every expression a type. Grammar: OData 4.01
 * ABNF.
 */

/** Where in the decoded text of its option a piece begins: UTF-16 offset from 0. */
export interface Positioned {
  readonly at: number
}

/** A literal as written; its type may change with the other operand (quoted dates, enumerations, …). */
export interface Literal extends Positioned {
  readonly kind: 'literal'
  readonly type:
    | 'null'
    | 'boolean'
    | 'string'
    /** Digits only, a sign allowed. */
    | 'integer'
    /** With a fraction or an exponent, `INF`, `-INF`, `NaN`. */
    | 'number'
    | 'guid'
    | 'date'
    | 'timeOfDay'
    | 'dateTimeOffset'
    | 'duration'
    | 'binary'
    | 'enum'
    /** A JSON array or object, mostly of an alias. */
    | 'json'
  /** Without quotes and without a prefix (`duration`, type of an enumeration); doubled quotes are single. */
  readonly text: string
  /** Of an enumeration with a prefix: its qualified type name. */
  readonly typeName?: string
}

/** `@name`: stands for the option of that name. */
export interface Alias extends Positioned {
  readonly kind: 'alias'
  readonly name: string
}

/** One step of a path expression. */
export type PathStep =
  | (Positioned & { readonly kind: 'name'; readonly name: string })
  /** A qualified type name: `Ns.Type`. */
  | (Positioned & { readonly kind: 'cast'; readonly type: string })
  | (Positioned & { readonly kind: 'key'; readonly keys: readonly KeyValue[] })
  | (Positioned & {
      readonly kind: 'lambda'
      readonly operator: 'any' | 'all'
      /** Both missing in `any()`. */
      readonly variable?: string
      readonly predicate?: Expression
    })
  | (Positioned & {
      readonly kind: 'count'
      readonly filter?: Expression
      readonly search?: SearchExpression
    })
  | (Positioned & { readonly kind: 'filter'; readonly filter: Expression })
  | (Positioned & { readonly kind: 'ref' | 'value' })
  /** A function of a service, with or without its namespace: `Ns.Best(Size=3)`, `Best()`. */
  | (Positioned & { readonly kind: 'operation'; readonly name: string; readonly args: readonly KeyValue[] })
  /** The function of collections `aggregate(Path with sum)`. */
  | (Positioned & { readonly kind: 'aggregate'; readonly item: AggregateItem })

/** `A/B/any(x:…)`, also with `$it`, `$this`, `$root` or a lambda variable, which looks like a name. */
export interface Path extends Positioned {
  readonly kind: 'path'
  readonly root?: '$it' | '$this' | '$these' | '$root' | Alias
  readonly steps: readonly PathStep[]
}

/** A call of a function: `contains(Name,'x')`, `case(a:b,…)`, `cast(x,Edm.T)`, `isof(Ns.Type)`. */
export interface Call extends Positioned {
  readonly kind: 'call'
  /** As written; compare in lower case. */
  readonly name: string
  readonly args: readonly (Expression | TypeName)[]
  /** Of `case`: the pairs instead of `args`. */
  readonly branches?: readonly { readonly when: Expression; readonly then: Expression }[]
}

/** A qualified type name where a function takes one. */
export interface TypeName extends Positioned {
  readonly kind: 'type'
  readonly name: string
}

/** `not x`, `-x`. */
export interface Unary extends Positioned {
  readonly kind: 'unary'
  readonly operator: 'not' | 'neg'
  readonly operand: Expression
}

/** Of `or`, `and`, and operators on values; chains of one precedence lean to the left. */
export type BinaryOperator =
  | 'or'
  | 'and'
  | 'eq'
  | 'ne'
  | 'lt'
  | 'le'
  | 'gt'
  | 'ge'
  | 'has'
  | 'in'
  | 'add'
  | 'sub'
  | 'mul'
  | 'div'
  | 'divby'
  | 'mod'

/** Two operands; more in a chain of `and` or `or`, which is one node and no deep tree. */
export interface Binary extends Positioned {
  readonly kind: 'binary'
  readonly operator: BinaryOperator
  readonly operands: readonly Expression[]
}

/** The list in parentheses after `in`, or an array with expressions in it, which is no JSON: `[Id,'x']`. */
export interface List extends Positioned {
  readonly kind: 'list'
  readonly items: readonly Expression[]
}

/** `{"Name":Customer/Name}`: a JSON object that is none, because there are expressions in it. */
export interface ObjectValue extends Positioned {
  readonly kind: 'object'
  readonly members: readonly { readonly name: string; readonly value: Expression }[]
}

/** Any expression of `$filter`, `$orderby`, `$compute`, … */
export type Expression = Literal | Alias | Path | Call | Unary | Binary | List | ObjectValue

/** A key in parentheses: `(x)` has no name, `(A=1,B=2)` has names. */
export interface KeyValue extends Positioned {
  readonly name?: string
  readonly value: Expression
}

/** `$search`: words, phrases and their combination. */
export type SearchExpression =
  | { readonly kind: 'term'; readonly text: string; readonly phrase: boolean }
  | { readonly kind: 'not'; readonly operand: SearchExpression }
  | { readonly kind: 'and' | 'or'; readonly operands: readonly SearchExpression[] }

/** An item of `$orderby`. */
export interface OrderItem extends Positioned {
  readonly expression: Expression
  readonly descending: boolean
}

/** `expression as Name` of `$compute`. */
export interface ComputeItem extends Positioned {
  readonly expression: Expression
  readonly alias: string
}

/** An item of `$select`: `*`, a name, a path, with nested options for a collection. */
export interface SelectItem extends Positioned {
  /** `['*']` for all. */
  readonly path: readonly string[]
  readonly options?: QueryOptions
}

/** An item of `$expand`. */
export interface ExpandItem extends Positioned {
  /** `['*']` for all navigation properties. */
  readonly path: readonly string[]
  readonly shape: 'entities' | 'ref' | 'count'
  readonly options: QueryOptions
}

/** An item of `aggregate`: `Path with sum as Total`, `$count as N`, `Lines/$count as N`. */
export interface AggregateItem extends Positioned {
  readonly expression: Expression | 'count'
  /** `sum`, `min`, `max`, `average`, `countdistinct`, or a qualified name. Missing after a count. */
  readonly method?: string
  /** The groupings of `from`, each with the method that aggregates its groups, if one is given. */
  readonly from?: readonly { readonly by: readonly (readonly string[])[]; readonly method?: string }[]
  readonly alias?: string
}

/** A property to group by, or a `rollup(…)`, in which `$all` is the member `all` and no path. */
export type GroupItem =
  | (Positioned & { readonly kind: 'path'; readonly path: readonly string[] })
  | (Positioned & {
      readonly kind: 'rollup'
      readonly all: boolean
      readonly paths: readonly (readonly string[])[]
    })

/** A step of `$apply`. */
export type Transformation = Positioned &
  (
    | { readonly kind: 'filter'; readonly filter: Expression }
    | { readonly kind: 'search'; readonly search: SearchExpression }
    | { readonly kind: 'compute'; readonly items: readonly ComputeItem[] }
    | { readonly kind: 'aggregate'; readonly items: readonly AggregateItem[] }
    | {
        readonly kind: 'groupby'
        readonly by: readonly GroupItem[]
        readonly then: readonly Transformation[]
      }
    | { readonly kind: 'orderby'; readonly items: readonly OrderItem[] }
    | { readonly kind: 'top' | 'skip'; readonly count: number }
    | { readonly kind: 'concat'; readonly parts: readonly (readonly Transformation[])[] }
    | { readonly kind: 'identity' }
    | {
        readonly kind: 'topcount' | 'bottomcount' | 'topsum' | 'bottomsum' | 'toppercent' | 'bottompercent'
        readonly amount: Expression
        readonly by: Expression
      }
    /** Of the standard, with the code of what is not done; or one that a service might have. */
    | { readonly kind: 'other'; readonly name: string; readonly unsupported?: UnsupportedCode }
  )

/** An option as it was written. */
export interface OptionText {
  /** Canonical: `$filter`, `@p`. */
  readonly name: string
  /** Decoded. */
  readonly text: string
}

/** The options of a request, or of an `$expand` item. A member is missing when the option is. */
export interface QueryOptions {
  readonly filter?: Expression
  readonly search?: SearchExpression
  readonly select?: readonly SelectItem[]
  readonly expand?: readonly ExpandItem[]
  readonly orderby?: readonly OrderItem[]
  readonly compute?: readonly ComputeItem[]
  readonly apply?: readonly Transformation[]
  readonly top?: number
  readonly skip?: number
  readonly count?: boolean
  readonly levels?: number | 'max'
  /** A text, without quotes in the URL. */
  readonly skiptoken?: Literal
  readonly format?: string
  /** Each option as written, for links that repeat them. */
  readonly texts?: readonly OptionText[]
  /** Values of `@aliases`; of a request only. */
  readonly aliases?: ReadonlyMap<string, Expression>
}
