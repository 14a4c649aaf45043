import type { Migration } from '../migration.js'

/**
 * Finished jobs stay for days: without an index of the open ones each look for the next job reads them all.
 *
 * - AbpBackgroundJobs.IX_AbpBackgroundJobs_Open: none → index ("IsAbandoned", (- "Priority"), "NextTryTime") where "CompletionTime" is null
 */
export const openJobsMigration: Migration = {
  name: '20261122-open-jobs',
  up: /* sql */ `
create index "IX_AbpBackgroundJobs_Open" on "AbpBackgroundJobs" ("IsAbandoned", (- "Priority"), "NextTryTime") where "CompletionTime" is null;
`,
  down: /* sql */ `
drop index "IX_AbpBackgroundJobs_Open";
`,
}
