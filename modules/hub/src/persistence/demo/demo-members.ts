import { namedGuid } from '@keel/framework/data'
import { demoCustomers, demoStaff } from '@keel/identity/contracts'
import type { DemoUser } from './organizations.js'

const staff = ['admin', 'operator', 'manager', 'pricing', 'pricingmanager', 'superuser']

/**
 * The organizations of 60 users: of those that identity seeds in Development, the key user in the biggest customer and the plain one in a small
 * one, and of the people of demo data. Big customers have more people, and one in nine of theirs looks after four companies. Staff belong to
 * the forwarder. Identity gives its users the ids `namedGuid('User:<userName>')`.
 */
export const demoMembers: readonly DemoUser[] = [
  { userName: 'customeradmin', organizationOrdinals: [0] },
  { userName: 'customer', organizationOrdinals: [9] },
  ...demoCustomers.map(({ userName }, index) => {
    const first = Math.floor(40 * (index / demoCustomers.length) ** 2)
    return {
      userName,
      organizationOrdinals: index % 9 === 4 ? [0, 1, 2, 3].map((more) => first + more) : [first],
    }
  }),
  ...[...staff, ...demoStaff.map(({ userName }) => userName)].map((userName) => ({
    userName,
    organizationOrdinals: [],
    isStaff: true,
  })),
].map((member) => ({ ...member, userId: namedGuid(`User:${member.userName}`) }))
