/** A field that a list can be filtered and counted by. */
export interface FacetField {
  /** Name on the wire, e.g. `TransportMode`. */
  readonly name: string
  /** Other names that are understood. */
  readonly aliases?: readonly string[]
  /** The attribute it is about: an id of a reference entity, or a number of an enumeration. */
  readonly attribute: string
  /** For a reference: the attribute whose text stands for a row, e.g. `code`. */
  readonly code?: string
  /** For an enumeration: its members. */
  readonly values?: Record<string, string | number>
  /**
   * True when it has so many values, of thousands of customers say, that rows are counted by it in a pass of their own: together with the other
   * fields there would be almost as many groups as rows.
   */
  readonly hasManyValues?: boolean
}
