-- Files that users imported or are importing into lists of this database, and what became of them. The row is closed in the transaction that
-- writes the rows of the file, so that no file is imported twice.
create table if not exists "KeelImports" (
  "Id" uuid not null,
  -- The contract whose list it is, e.g. Hub.PortAppService.
  "Contract" varchar(160) not null,
  -- Of AbpBackgroundJobs, in the Default database.
  "JobId" uuid,
  "FileName" varchar(256) not null,
  "BlobName" varchar(255) not null,
  "Encoding" varchar(32) not null,
  "IsDryRun" boolean not null,
  "CreatorId" uuid not null,
  "CreationTime" timestamp with time zone not null,
  -- Null until it is over.
  "CompletionTime" timestamp with time zone,
  "Status" smallint,
  "RowCount" integer not null default 0,
  "InsertedCount" integer not null default 0,
  "UpdatedCount" integer not null default 0,
  "FaultCount" integer not null default 0,
  "IgnoredColumns" jsonb not null default '[]',
  "Faults" jsonb not null default '[]',
  constraint "PK_KeelImports" primary key ("Id")
);
create index if not exists "IX_KeelImports_CreatorId_CreationTime" on "KeelImports" ("CreatorId", "CreationTime");
create index if not exists "IX_KeelImports_CreationTime" on "KeelImports" ("CreationTime");
