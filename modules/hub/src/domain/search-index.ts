import { type IndexMeta, textSearchIndex } from '@keel/framework/data'

/**
 * An index for parts of texts, alone or among the rows that some may see: large customers have few of the many rows that a part of a number is in. Two
 * indexes, of the texts and of those who see the rows, would be read whole.
 * @param readers the attribute with the ids of those who see a row
 */
export function searchIndex(readers: string, ...texts: readonly string[]): IndexMeta {
  const index = textSearchIndex(...texts)
  return { ...index, attributes: [readers, ...index.attributes], name: 'Searches' }
}
