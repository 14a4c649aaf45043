import type { Migration } from '../migration.js'

/** - AppExportRuns.Scope: no column → varchar(43) */
export const exportRunsTellTheirScopeMigration: Migration = {
  name: '20261127-export-runs-tell-their-scope',
  up: /* sql */ `
alter table "AppExportRuns" add column "Scope" varchar(43);
`,
  down: /* sql */ `
alter table "AppExportRuns" drop column "Scope";
`,
}
