import { defineFeature } from '@keel/framework/contracts'
import { expect, test } from 'vitest'
import { featureTree } from './feature-tree.js'

const reports = defineFeature('Hub.Reports', { default: true })
const daily = defineFeature('Hub.DailyReports', { default: false, parent: 'Hub.Reports' })
const atNoon = defineFeature('Hub.AtNoon', { default: false, parent: 'Hub.DailyReports' })
const seats = defineFeature('Seats', { default: 5, group: 'Sales' })
const orphan = defineFeature('Hub.Orphan', { default: true, parent: 'Gone' })

test('children stand behind their parent, one deeper, and features of other modules without it at the top', () => {
  const tree = featureTree([atNoon, seats, orphan, reports, daily]).map(({ name, features }) => [
    name,
    features.map(({ definition, depth }) => `${depth} ${definition.name}`),
  ])
  expect(tree).toEqual([
    ['Sales', ['0 Seats']],
    ['Hub', ['0 Hub.Orphan', '0 Hub.Reports', '1 Hub.DailyReports', '2 Hub.AtNoon']],
  ])
})
