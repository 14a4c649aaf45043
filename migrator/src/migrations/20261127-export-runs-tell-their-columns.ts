import type { Migration } from '../migration.js'

/**
 * - AppExportRuns.Query: no column → text
 * - AppExportRuns.Columns: no column → jsonb
 */
export const exportRunsTellTheirColumnsMigration: Migration = {
  name: '20261127-export-runs-tell-their-columns',
  up: /* sql */ `
alter table "AppExportRuns" add column "Query" text;
alter table "AppExportRuns" add column "Columns" jsonb;
`,
  down: /* sql */ `
alter table "AppExportRuns" drop column "Columns";
alter table "AppExportRuns" drop column "Query";
`,
}
