import { expect, test } from 'vitest'
import { ShipmentStatus } from '../contracts/enumerations.js'
import { type ShipmentAction, shipmentTransitions, targetOf } from './shipment-lifecycle.js'

/** The transitions as the domain model lists them (section 2.1): from | action | to. A star needs `Shipment.ForceStatus`. */
const documented = `
Draft           | book             | Booked
Booked          | confirm          | Confirmed
Confirmed       | receiveCargo     | CargoReceived
Confirmed       | depart           | InTransit
CargoReceived   | depart           | InTransit
InTransit       | arrive           | Arrived
Arrived         | clearCustoms     | CustomsCleared
Arrived         | dispatchDelivery | OutForDelivery
CustomsCleared  | dispatchDelivery | OutForDelivery
Arrived         | deliver          | Delivered
CustomsCleared  | deliver          | Delivered
OutForDelivery  | deliver          | Delivered
Delivered       | complete         | Completed
Draft           | cancel           | Cancelled
Booked          | cancel           | Cancelled
Confirmed       | cancel           | Cancelled
CargoReceived   | cancel*          | Cancelled
InTransit       | cancel*          | Cancelled
Arrived         | cancel*          | Cancelled
CustomsCleared  | cancel*          | Cancelled
OutForDelivery  | cancel*          | Cancelled
Delivered       | cancel*          | Cancelled
Completed       | reopen           | Delivered
Cancelled       | reopen           | Draft`
  .trim()
  .split('\n')
  .map((line) => line.split('|').map((word) => word.trim()) as [string, string, string])

const statuses = Object.values(ShipmentStatus).filter((value) => typeof value === 'number')
const actions = Object.keys(shipmentTransitions) as ShipmentAction[]

test.each([
  ['without', false],
  ['with', true],
] as const)('the transitions %s the right to force a status are those of the domain model', (_, mayForce) => {
  const made = actions.flatMap((action) =>
    statuses.flatMap((from) => {
      const to = targetOf(action, from, mayForce)
      return to === undefined ? [] : [`${ShipmentStatus[from]} ${action} ${ShipmentStatus[to]}`]
    }),
  )
  const expected = documented
    .filter(([, action]) => mayForce || !action.endsWith('*'))
    .map(([from, action, to]) => `${from} ${action.replace('*', '')} ${to}`)
  expect(made.sort()).toEqual(expected.sort())
})
