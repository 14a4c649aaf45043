import { expect, test } from 'vitest'
import {
  crudPermissions,
  defineRole,
  GrantedTo,
  OnlyFor,
  PermissionGroup,
  permissionsOf,
} from './permissions.js'

const Customer = defineRole('Customer')
const Operator = defineRole('Operator', { parents: [Customer] })

test('crudPermissions names four permissions, the others below View', () => {
  @PermissionGroup('Hub')
  class PortPermissions extends crudPermissions('Port', { View: [Customer], Edit: [Operator] }) {}
  expect(permissionsOf(PortPermissions)).toEqual([
    { name: 'Port.View', group: 'Hub', parent: undefined, grantedTo: [Customer] },
    { name: 'Port.Create', group: 'Hub', parent: 'Port.View', grantedTo: [] },
    { name: 'Port.Edit', group: 'Hub', parent: 'Port.View', grantedTo: [Operator] },
    { name: 'Port.Delete', group: 'Hub', parent: 'Port.View', grantedTo: [] },
  ])
})

test('a class adds permissions of its own, granted where they stand', () => {
  @PermissionGroup('Hub')
  class ShipmentPermissions extends crudPermissions('Shipment') {
    @GrantedTo(Operator) static readonly Release = 'Shipment.Release'
  }
  expect(permissionsOf(ShipmentPermissions).at(-1)).toEqual({
    name: 'Shipment.Release',
    group: 'Hub',
    parent: 'Shipment.View',
    grantedTo: [Operator],
  })
})

test('grants of one class do not reach another made from the same factory', () => {
  @PermissionGroup('Hub')
  class One extends crudPermissions('One', { View: [Customer] }) {}
  @PermissionGroup('Hub')
  class Other extends crudPermissions('Other') {}
  expect(permissionsOf(One)[0]?.grantedTo).toEqual([Customer])
  expect(permissionsOf(Other)[0]?.grantedTo).toEqual([])
})

test('permissions without a View have no parent', () => {
  @PermissionGroup('Core')
  class ToolPermissions {
    static readonly Import = 'Tools.Import'
  }
  expect(permissionsOf(ToolPermissions)).toEqual([
    { name: 'Tools.Import', group: 'Core', parent: undefined, grantedTo: [] },
  ])
})

test('a permission can be for some providers alone', () => {
  @PermissionGroup('AbpIdentity')
  class LookupPermissions {
    @OnlyFor('C') static readonly UserLookup = 'AbpIdentity.UserLookup'
    static readonly Users = 'AbpIdentity.Users'
  }
  expect(permissionsOf(LookupPermissions).map(({ providers }) => providers)).toEqual([['C'], undefined])
})

test('a name that goes on from another with a dot is its child', () => {
  @PermissionGroup('AbpIdentity')
  class UserPermissions {
    static readonly Default = 'AbpIdentity.Users'
    static readonly Update = 'AbpIdentity.Users.Update'
    static readonly ManageRoles = 'AbpIdentity.Users.Update.ManageRoles'
  }
  expect(permissionsOf(UserPermissions).map(({ parent }) => parent)).toEqual([
    undefined,
    'AbpIdentity.Users',
    'AbpIdentity.Users.Update',
  ])
})

test('a class without a group says what it lacks', () => {
  class Loose extends crudPermissions('Loose') {}
  expect(() => permissionsOf(Loose)).toThrow(
    "Loose is listed as permissions but has no @PermissionGroup('…')",
  )
})

test('a role has no parents and is neither default nor static unless it says so', () => {
  expect(defineRole('Plain')).toEqual({
    name: 'Plain',
    parents: [],
    isDefault: false,
    isStatic: false,
    isPublic: true,
  })
})
