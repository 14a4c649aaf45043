import { expect, test } from 'vitest'
import { chargeableWeight } from './chargeable-weight.js'
import { volumeOf } from './pack-line.js'

// domain model, section 7.4
test.each([
  ['A: four pallets by sea', 'Sea', 'LCL', 1240, 4.992, 4.992],
  ['the least revenue ton', 'Sea', 'LCL', 180, 0.4, 1],
  ['C: twelve cartons by air', 'Air', 'LSE', 268, 1.62, 270],
  ['the volume of light cargo', 'Air', 'LSE', 150, 2, 333.5],
  ['the weight of heavy cargo', 'Air', 'LSE', 1000, 1, 1000],
  ['the next half kilogram', 'Air', 'LSE', 98.1, 0.1, 98.5],
  ['by courier', 'Courier', null, 1, 0.05, 10],
  ['by road', 'Road', 'LTL', 100, 1, 333],
  ['full containers are charged by the box', 'Sea', 'FCL', 16000, 60, null],
  ['without weight and volume', 'Air', 'LSE', null, null, null],
] as const)('%s', (_, transportMode, containerMode, gross, volume, expected) =>
  expect(chargeableWeight({ transportMode, containerMode }, gross, volume)).toBe(expected),
)

test('volumes of lines are those of their sizes', () => {
  const line = { packageCount: 4, lengthCm: 120, widthCm: 80, heightCm: 130, volumeM3: null }
  expect(volumeOf(line)).toBe(4.992)
  expect(volumeOf({ ...line, packageCount: 12, lengthCm: 60, widthCm: 50, heightCm: 45 })).toBe(1.62)
  expect(volumeOf({ ...line, heightCm: null, volumeM3: 3 })).toBe(3)
})
