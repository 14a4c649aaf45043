import { expect, test } from 'vitest'
import { defineRole, type Role } from '../contracts/index.js'
import { withParents } from './principals.js'

const Customer = defineRole('Customer')
const Operator = defineRole('Operator', { parents: [Customer] })
const Analyst = defineRole('Analyst', { parents: [Customer] })
const SuperUser = defineRole('SuperUser', { parents: [Operator, Analyst] })
const One: Role = { ...defineRole('One'), parents: [] }
const Other: Role = { ...defineRole('Other'), parents: [One] }
Object.assign(One, { parents: [Other] })
const roles = new Map([Customer, Operator, Analyst, SuperUser, One, Other].map((role) => [role.name, role]))

test.each([
  [[], []],
  [['Customer'], ['Customer']],
  [['Operator'], ['Operator', 'Customer']],
  [['SuperUser'], ['SuperUser', 'Operator', 'Customer', 'Analyst']],
  [
    ['Customer', 'Operator'],
    ['Customer', 'Operator'],
  ],
  [
    ['Made at run time', 'Analyst'],
    ['Made at run time', 'Analyst', 'Customer'],
  ],
  [['One'], ['One', 'Other']],
])('%j hold what %j hold', (names, all) => {
  expect(withParents(names, roles)).toEqual(all)
})
