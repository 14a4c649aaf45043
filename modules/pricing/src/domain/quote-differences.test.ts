import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ComparedOption, optionChanges } from './quote-differences.js'

const amount = fc.integer({ min: 0, max: 99_999 }).map((cents) => (cents / 100).toFixed(2))
const charge = fc.record({
  chargeCodeId: fc.constantFrom('OFR', 'BAF', 'THC'),
  description: fc.constantFrom('Freight 22G1', 'Freight 45G1', 'Other'),
  isOptional: fc.boolean(),
  sellAmount: amount,
  costAmountQuote: fc.option(amount),
})
const option = fc.record({
  carrierCode: fc.option(fc.constantFrom('MAEU', 'CMDU')),
  viaUnLocode: fc.option(fc.constantFrom('SGSIN', 'AEJEA')),
  totalSell: amount,
  totalCost: fc.option(amount),
  marginPercent: fc.option(amount),
  charges: fc.array(charge, { maxLength: 5 }),
})
const options = fc.array(option, { maxLength: 5 })

const swapped = ({ sellBefore, sellAfter, costBefore, costAfter, ...rest }: Amounts) => ({
  ...rest,
  ...{ sellBefore: sellAfter, sellAfter: sellBefore, costBefore: costAfter, costAfter: costBefore },
})
type Amounts = Record<'sellBefore' | 'sellAfter' | 'costBefore' | 'costAfter', string | null>
const sorted = (rows: readonly object[]) =>
  rows.map((row) => JSON.stringify(row, Object.keys(row).sort())).sort()

test('options that stay as they are have no charges that differ', () => {
  const padded = (text: string | null) => text && `${text}00`
  fc.assert(
    fc.property(options, (before) => {
      const after = before.map((one) => ({
        ...one,
        charges: one.charges.map((row) => ({ ...row, costAmountQuote: padded(row.costAmountQuote) })),
      }))
      const changes = optionChanges(before, after)
      expect(changes).toHaveLength(before.length)
      expect(changes.flatMap(({ charges }) => charges)).toEqual([])
    }),
  )
})

test('each option and each of its amounts stands in a change once, before or after', () => {
  fc.assert(
    fc.property(options, options, (before, after) => {
      const changes = optionChanges(before, after)
      const sells = (rows: readonly ComparedOption[]) => rows.map(({ totalSell }) => totalSell).sort()
      expect(changes.flatMap(({ sellBefore }) => sellBefore ?? []).sort()).toEqual(sells(before))
      expect(changes.flatMap(({ sellAfter }) => sellAfter ?? []).sort()).toEqual(sells(after))
      const back = optionChanges(after, before).map(({ charges: _, ...rest }) => rest)
      const mirrored = changes.map(({ charges: _, ...rest }) => {
        const { marginPercentBefore, marginPercentAfter } = rest
        return {
          ...swapped(rest),
          marginPercentBefore: marginPercentAfter,
          marginPercentAfter: marginPercentBefore,
        }
      })
      expect(sorted(back.map((row) => ({ ...row })))).toEqual(sorted(mirrored.map((row) => ({ ...row }))))
    }),
  )
})
