import type { Migration } from '../migration.js'

/**
 * To check every row of the audit log against its parent cost the database nearly as much as to write it (23 of 55 µs a log). Its one
 * writer adds a log with all that belongs to it in one transaction, parents first, and its one deleter takes the same away again. A
 * database that was ABP's keeps the keys it has.
 *
 * - AbpAuditLogActions.FK_AbpAuditLogActions_AbpAuditLogs_AuditLogId: foreign key ("AuditLogId") references "AbpAuditLogs" ("Id") on delete cascade → none
 * - AbpEntityChanges.FK_AbpEntityChanges_AbpAuditLogs_AuditLogId: foreign key ("AuditLogId") references "AbpAuditLogs" ("Id") on delete cascade → none
 * - AbpEntityPropertyChanges.FK_AbpEntityPropertyChanges_AbpEntityChanges_EntityChangeId: foreign key ("EntityChangeId") references "AbpEntityChanges" ("Id") on delete cascade → none
 */
export const auditLogsWithoutForeignKeysMigration: Migration = {
  name: '20261122-audit-logs-without-foreign-keys',
  up: /* sql */ `
alter table "AbpAuditLogActions" drop constraint "FK_AbpAuditLogActions_AbpAuditLogs_AuditLogId";
alter table "AbpEntityChanges" drop constraint "FK_AbpEntityChanges_AbpAuditLogs_AuditLogId";
alter table "AbpEntityPropertyChanges" drop constraint "FK_AbpEntityPropertyChanges_AbpEntityChanges_EntityChangeId";
`,
  down: /* sql */ `
alter table "AbpAuditLogActions" add constraint "FK_AbpAuditLogActions_AbpAuditLogs_AuditLogId" foreign key ("AuditLogId") references "AbpAuditLogs" ("Id") on delete cascade;
alter table "AbpEntityChanges" add constraint "FK_AbpEntityChanges_AbpAuditLogs_AuditLogId" foreign key ("AuditLogId") references "AbpAuditLogs" ("Id") on delete cascade;
alter table "AbpEntityPropertyChanges" add constraint "FK_AbpEntityPropertyChanges_AbpEntityChanges_EntityChangeId" foreign key ("EntityChangeId") references "AbpEntityChanges" ("Id") on delete cascade;
`,
}
