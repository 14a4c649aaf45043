-- What a process that heard no notification finds out by looking: how often the rows of a table changed, in total over its rows here. A
-- writer takes any row that no other one holds, so that writers never wait for each other.
create table if not exists "KeelTableVersions" (
  "Id" bigint generated always as identity,
  "TableName" varchar(63) not null,
  "Version" bigint not null,
  constraint "PK_KeelTableVersions" primary key ("Id")
) with (fillfactor = 50);
create index if not exists "IX_KeelTableVersions_TableName" on "KeelTableVersions" ("TableName");

-- Announces that rows of a table changed, so that every process drops what it cached of that table. The key is random: a copy of this
-- database that gets its rows by replication makes rows of its own, which must not be in the way of those that come.
create or replace function keel_notify_change() returns trigger language plpgsql as $$
begin
  update "KeelTableVersions" set "Version" = "Version" + 1
  where "Id" = (select "Id" from "KeelTableVersions" where "TableName" = TG_TABLE_NAME limit 1 for update skip locked);
  if not found then
    insert into "KeelTableVersions" ("Id", "TableName", "Version") overriding system value
    values ((random() * 9007199254740991)::bigint, TG_TABLE_NAME, 1);
  end if;
  perform pg_notify('keel_changes', TG_TABLE_NAME);
  return null;
end
$$;
