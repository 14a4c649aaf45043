-- HubDocuments lacks the column ScanTime (timestamp with time zone).
-- HubDocuments lacks the column QuarantineReason (varchar(200)).
-- HubDocuments lacks the column ExpiryRemindedDays (smallint).
-- HubDocuments lacks the column FileDeletionTime (timestamp with time zone).
-- HubDocuments lacks the index IX_HubDocuments_DeletionTime: index ("DeletionTime") where "IsDeleted" AND "FileDeletionTime" IS NULL.
-- HubDocuments lacks the index IX_HubDocuments_ExpiryDate: index ("ExpiryDate") where "IsDeleted" = false AND "Status" = 1 AND "ExpiryDate" IS NOT NULL.

alter table "HubDocuments" add column "ScanTime" timestamp with time zone;
--  locks HubDocuments: AccessExclusiveLock, blocks reads and writes
alter table "HubDocuments" add column "QuarantineReason" varchar(200);
--  locks HubDocuments: AccessExclusiveLock, blocks reads and writes
alter table "HubDocuments" add column "ExpiryRemindedDays" smallint;
--  locks HubDocuments: AccessExclusiveLock, blocks reads and writes
alter table "HubDocuments" add column "FileDeletionTime" timestamp with time zone;
--  locks HubDocuments: AccessExclusiveLock, blocks reads and writes

create index "IX_HubDocuments_DeletionTime" on "HubDocuments" ("DeletionTime") where "IsDeleted" and "FileDeletionTime" is null;
--! locks HubDocuments: ShareLock, blocks writes
--! reads all rows
--! safer: Create it concurrently by hand before the release, under the same name and with "if not exists" in the migration.
create index "IX_HubDocuments_ExpiryDate" on "HubDocuments" ("ExpiryDate") where "IsDeleted" = false and "Status" = 1 and "ExpiryDate" is not null;
--! locks HubDocuments: ShareLock, blocks writes
--! reads all rows
--! safer: Create it concurrently by hand before the release, under the same name and with "if not exists" in the migration.
