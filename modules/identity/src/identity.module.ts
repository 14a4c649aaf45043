import { KeelModule, Module } from '@keel/framework'
import { DataModule } from '@keel/framework/data'
import { SignInService } from './application/sign-in-service.js'
import { AccountSettings, PasswordSettings, productRoles } from './contracts/index.js'
import { Role, RoleStore } from './domain/role.js'
import { User, UserRole, UserStore } from './domain/user.js'
import { IdentityRoleHolders, IdentityUserHolders } from './persistence/permission-holders.js'
import { RoleSeeder } from './persistence/role-seeder.js'
import { StoredUsers } from './persistence/stored-users.js'
import { UserAccounts } from './persistence/user-accounts.js'
import { UserSeeder } from './persistence/user-seeder.js'

/** Users, their roles, and signing in with a password. */
@Module({
  name: 'Identity',
  dependsOn: [DataModule],
  entities: [User, Role, UserRole],
  services: [
    UserStore,
    RoleStore,
    UserAccounts,
    StoredUsers,
    IdentityUserHolders,
    IdentityRoleHolders,
    SignInService,
  ],
  roles: productRoles,
  settings: [...Object.values(PasswordSettings), ...Object.values(AccountSettings)],
  seeds: [RoleSeeder, UserSeeder],
  localization: new URL('../localization/', import.meta.url),
})
export class IdentityModule extends KeelModule {}

export { Role } from './domain/role.js'
export { User, UserRole } from './domain/user.js'
export { administrators, demoUsers, type SeededUser, seededPassword } from './persistence/seeded-users.js'
