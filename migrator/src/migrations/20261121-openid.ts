import type { Migration } from '../migration.js'

/**
 * - OpenIddictApplications.IX_OpenIddictApplications_ClientId: index ("ClientId") → none
 * - OpenIddictApplications.IX_OpenIddictApplications_ClientId: none → unique index ("ClientId") where "IsDeleted" = false
 * - OpenIddictScopes.IX_OpenIddictScopes_Name: index ("Name") → none
 * - OpenIddictScopes.IX_OpenIddictScopes_Name: none → unique index ("Name") where "IsDeleted" = false
 */
export const openidMigration: Migration = {
  name: '20261121-openid',
  up: /* sql */ `
drop index "IX_OpenIddictApplications_ClientId";
drop index "IX_OpenIddictScopes_Name";

create unique index "IX_OpenIddictApplications_ClientId" on "OpenIddictApplications" ("ClientId") where "IsDeleted" = false;
create unique index "IX_OpenIddictScopes_Name" on "OpenIddictScopes" ("Name") where "IsDeleted" = false;
`,
  down: /* sql */ `
drop index "IX_OpenIddictApplications_ClientId";
drop index "IX_OpenIddictScopes_Name";

create index "IX_OpenIddictApplications_ClientId" on "OpenIddictApplications" ("ClientId");
create index "IX_OpenIddictScopes_Name" on "OpenIddictScopes" ("Name");
`,
}
