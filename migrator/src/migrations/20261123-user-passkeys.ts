import type { Migration } from '../migration.js'

/**
 * - AbpUserPasskeys: no table → 4 columns
 */
export const userPasskeysMigration: Migration = {
  name: '20261123-user-passkeys',
  up: /* sql */ `
create table "AbpUserPasskeys" (
  "CredentialId" bytea not null,
  "TenantId" uuid,
  "UserId" uuid not null,
  "Data" jsonb,
  constraint "PK_AbpUserPasskeys" primary key ("CredentialId"),
  constraint "FK_AbpUserPasskeys_AbpUsers_UserId" foreign key ("UserId") references "AbpUsers" ("Id") on delete cascade
);
create index "IX_AbpUserPasskeys_UserId" on "AbpUserPasskeys" ("UserId");
`,
  down: /* sql */ `
drop table "AbpUserPasskeys";
`,
}
