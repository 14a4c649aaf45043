import type { Migration } from '../migration.js'

/**
 * - AbpRoleClaims.TR_AbpRoleClaims_NotifyChange: none → change trigger
 * - AbpUserClaims.TR_AbpUserClaims_NotifyChange: none → change trigger
 * - OpenIddictAuthorizations.IX_OpenIddictAuthorizations_CreationDate: none → index ("CreationDate")
 */
export const authServerLoadMigration: Migration = {
  name: '20261122-auth-server-load',
  up: /* sql */ `
create index "IX_OpenIddictAuthorizations_CreationDate" on "OpenIddictAuthorizations" ("CreationDate");
create trigger "TR_AbpRoleClaims_NotifyChange" after insert or update or delete on "AbpRoleClaims"
  for each statement execute function keel_notify_change();
create trigger "TR_AbpUserClaims_NotifyChange" after insert or update or delete on "AbpUserClaims"
  for each statement execute function keel_notify_change();
`,
  down: /* sql */ `
drop trigger "TR_AbpRoleClaims_NotifyChange" on "AbpRoleClaims";
drop trigger "TR_AbpUserClaims_NotifyChange" on "AbpUserClaims";

drop index "IX_OpenIddictAuthorizations_CreationDate";
`,
}
