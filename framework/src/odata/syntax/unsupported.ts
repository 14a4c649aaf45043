/** A part of the standard that this service does not support: answered with 501. */
export interface UnsupportedPart {
  /** Begins the sentence `… is not supported by this service`; a row of the documentation. */
  readonly feature: string
  /** The document and section of the standard that describe it. */
  readonly section: string
}

const url = (section: string): string => `URL Conventions ${section}`
const protocol = (section: string): string => `Protocol ${section}`
const aggregation = (section: string): string => `Data Aggregation ${section}`
const json = (section: string): string => `JSON Format ${section}`

/**
 * Everything that is answered with 501, by the code in the error: OData V4.01 and Data Aggregation V4.0.
 * Anything else that is not supported is answered with 400, or with 404 in a path. The list in docs/odata.md
 * is made of it.
 */
export const unsupportedParts = {
  // Paths
  AllEntities: { feature: 'The path $all', section: url('4.16') },
  CrossJoin: { feature: 'The path $crossjoin', section: url('4.15') },
  EachMember: { feature: 'The segment $each', section: url('4.13') },
  MediaStreams: { feature: 'The content of a media entity: $value in $expand', section: url('4.14') },
  OtherDatabase: { feature: 'A path to a set that is kept in another database', section: url('5.1.1.14') },
  Operations: { feature: 'A function or an action of a service', section: url('4.5') },
  // Options
  DeltaToken: { feature: 'The query option $deltatoken', section: protocol('11.3') },
  Index: { feature: 'The query option $index', section: url('5.1.11') },
  SchemaVersion: { feature: 'The query option $schemaversion', section: url('5.1.12') },
  NestedAliases: { feature: 'An alias that is defined inside of $expand or $select', section: url('5.3') },
  SelectOptions: { feature: 'Options in parentheses in $select', section: url('5.1.4') },
  SearchOfSet: { feature: '$search on a set without searchable properties', section: url('5.1.8') },
  // Expressions
  Annotations: { feature: 'An annotation in a query', section: url('5.1.1.16') },
  Geography: { feature: 'A geographic type, literal or function', section: url('5.1.1.11') },
  CollectionFunctions: {
    feature: 'A function of collections, but hassubset of a property and a list',
    section: url('5.1.1.6'),
  },
  CastOfInstance: { feature: 'A cast to anything but a type of single values', section: url('5.1.1.10.1') },
  StructuredValues: {
    feature: 'A collection or an object as a value, but in comparisons of lists (eq, ne, in)',
    section: url('5.1.1.14.2'),
  },
  VariablePattern: {
    feature: 'matchesPattern with anything but a literal pattern',
    section: url('5.1.1.7.1'),
  },
  PathInExpression: { feature: 'A segment of this kind in an expression', section: url('5.1.1.15') },
  PathAfterApply: { feature: 'A path of this kind after $apply', section: aggregation('3.1.1') },
  // $apply
  These: { feature: 'The collection at hand in an expression: $these', section: aggregation('3.6') },
  IsDefined: { feature: 'The function isdefined', section: aggregation('3.7') },
  AggregateFrom: { feature: "'from' in an aggregate", section: aggregation('3.2.1.5') },
  AggregateThroughOne: {
    feature: 'An aggregate of what is reached through one entity or through two collections',
    section: aggregation('3.2.1.1'),
  },
  AggregateThroughLinks: {
    feature: 'An aggregate of what is related many to many',
    section: aggregation('3.2.1.1'),
  },
  CustomAggregationMethod: {
    feature: 'An aggregation method of a service',
    section: aggregation('3.2.1.3.6'),
  },
  Transformation: {
    feature: 'A transformation that adds related entities (addnested, expand, join, nest, outerjoin)',
    section: aggregation('3.4.3, 3.5'),
  },
  Hierarchies: {
    feature: 'A recursive hierarchy (ancestors, descendants, traverse, rolluprecursive)',
    section: aggregation('6'),
  },
  LeveledHierarchies: { feature: 'rollup of a leveled hierarchy', section: aggregation('5.5.1') },
  InsideGroupBy: {
    feature: 'A transformation of this kind inside of groupby',
    section: aggregation('3.2.3.1'),
  },
  RollupWithOthers: {
    feature: 'rollup with anything but aggregate behind it',
    section: aggregation('3.2.3.2'),
  },
  ListsInConcat: {
    feature: 'concat of entities with properties that are collections',
    section: aggregation('3.2.2'),
  },
  SearchAfterGroups: { feature: 'A search after groupby and aggregate', section: aggregation('3.3.4') },
  CountBesideApply: { feature: '$count beside $apply inside of $expand', section: aggregation('3.8') },
  // $batch
  ChangeSets: { feature: 'A change set in a batch', section: protocol('11.7.7.1') },
  ConditionsInBatch: { feature: "'if' in a batch", section: json('19.1') },
  ReferencesInBatch: { feature: 'A reference to another part of the batch', section: protocol('11.7.6') },
} as const satisfies Readonly<Record<string, UnsupportedPart>>

/** The code of a part that is not supported. */
export type UnsupportedCode = keyof typeof unsupportedParts

/** All unsupported parts, as the rows of the table in docs/odata.md. */
export function unsupportedTable(): string {
  const rows = Object.entries(unsupportedParts).map(
    ([code, { feature, section }]) => `| \`${code}\` | ${feature} | ${section} |`,
  )
  return ['| Code | What | Standard |', '| --- | --- | --- |', ...rows].join('\n')
}

const before = '<!-- Unsupported parts begin: written by docs/write-odata-unsupported.mjs -->'
const after = '<!-- Unsupported parts end -->'

/** A document with the table of today between its marks. Throws when it has none. */
export function withUnsupportedTable(document: string): string {
  const from = document.indexOf(before)
  const to = document.indexOf(after)
  if (from < 0 || to < from) throw new Error(`The document needs the marks ${before} and ${after}`)
  return `${document.slice(0, from)}${before}\n\n${unsupportedTable()}\n\n${document.slice(to)}`
}
