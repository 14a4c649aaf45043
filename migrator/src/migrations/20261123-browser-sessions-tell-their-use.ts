import type { Migration } from '../migration.js'

/**
 * - AuthSessions.LastAccessed: no column → timestamp with time zone
 */
export const browserSessionsTellTheirUseMigration: Migration = {
  name: '20261123-browser-sessions-tell-their-use',
  up: /* sql */ `
alter table "AuthSessions" add column "LastAccessed" timestamp with time zone;
`,
  down: /* sql */ `
alter table "AuthSessions" drop column "LastAccessed";
`,
}
