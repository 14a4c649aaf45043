import { expect, test } from 'vitest'
import { exampleValue, parseTsdoc, wholeText } from './tsdoc.js'

test.for([
  ['/** Ports. */', 'Ports', ''],
  ['/** Two letters, e.g. NL. Null when unknown. */', 'Two letters, e.g. NL', 'Null when unknown.'],
  ['/** Which one? The first. */', 'Which one?', 'The first.'],
  ['/**\n * Lists\n * ports.\n *\n * Sorted by code.\n */', 'Lists ports', 'Sorted by code.'],
  ['/** A {@link Port} or {@link Place | place}. */', 'A `Port` or place', ''],
  ['/** A port.\n * @remarks Never deleted.\n */', 'A port', 'Never deleted.'],
  ['/** A port. @see interface document, "PortDto" */', 'A port', ''],
  ['/** Degrees north */', 'Degrees north', ''],
] as const)('%s is read as summary and details', ([comment, summary, details]) => {
  expect(parseTsdoc(comment)).toMatchObject({ summary, details, examples: [], deprecated: undefined })
})

test('tags are read', () => {
  const doc = parseTsdoc(`/**
   * Merges two ports.
   * @param id The one that stays.
   * @param other - The one
   *   that goes.
   * @returns The merged port.
   * @example
   * \`\`\`json
   * { "id": 1 }
   * \`\`\`
   * @example NLRTM
   * @deprecated Use \`replace\`.
   */`)
  expect(doc).toEqual({
    summary: 'Merges two ports',
    details: '',
    parameters: { id: 'The one that stays.', other: 'The one that goes.' },
    returns: 'The merged port.',
    examples: ['{ "id": 1 }', 'NLRTM'],
    deprecated: 'Use `replace`.',
  })
  expect(wholeText(doc)).toBe('Merges two ports. Deprecated: Use `replace`.')
})

test.for([
  ['NLRTM', true, 'NLRTM'],
  ['"NLRTM"', true, 'NLRTM'],
  ['12345', true, '12345'],
  ['12345', false, 12345],
  ['{"a":1}', false, { a: 1 }],
  ['not JSON', false, undefined],
] as const)('the example %s, of a text %s, is %s', ([example, isText, value]) => {
  expect(exampleValue(example, isText)).toEqual(value)
})
