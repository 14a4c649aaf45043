import type { Migration } from '../migration.js'

/**
 * - AbpSessions.TR_AbpSessions_NotifyChange: change trigger ("Id", "SessionId", "Device", "DeviceInfo", "TenantId", "UserId", "ClientId", "SignedIn", "ExtraProperties") → none
 * - AbpSessions.TR_AbpSessions_NotifyChange: none → change trigger (deletes)
 */
export const sessionsTellTheirEndMigration: Migration = {
  name: '20261121-sessions-tell-their-end',
  up: /* sql */ `
drop trigger "TR_AbpSessions_NotifyChange" on "AbpSessions";

create trigger "TR_AbpSessions_NotifyChange" after delete on "AbpSessions"
  for each statement execute function keel_notify_change();
`,
  down: /* sql */ `
drop trigger "TR_AbpSessions_NotifyChange" on "AbpSessions";

create trigger "TR_AbpSessions_NotifyChange" after insert or update of "Id", "SessionId", "Device", "DeviceInfo", "TenantId", "UserId", "ClientId", "SignedIn", "ExtraProperties" or delete on "AbpSessions"
  for each statement execute function keel_notify_change();
`,
}
