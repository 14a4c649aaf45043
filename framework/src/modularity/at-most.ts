/**
 * Bounds an `LRUCache` by the number of its entries, with memory that it takes as it fills. The option `max` of the
 * library takes memory for all entries at once: the caches of a host together 5 MB and a tenth of its start.
 * @example new LRUCache<string, Kept>({ ...atMost(50_000), ttl: 60_000 })
 */
export function atMost(entries: number): {
  readonly maxSize: number
  readonly sizeCalculation: () => number
} {
  return { maxSize: entries, sizeCalculation: one }
}

const one = (): number => 1
