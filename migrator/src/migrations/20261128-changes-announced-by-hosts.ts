import type { Migration } from '../migration.js'

/** Hosts announce what they write themselves, for many commits at once. */
export const changesAnnouncedByHostsMigration: Migration = {
  name: '20261128-changes-announced-by-hosts',
  up: /* sql */ `
-- Announces that rows of a table changed, so that every process drops what it cached of that table. A host that writes may say
-- (keel.announces_changes) that it does so itself after its commit, for many commits at once: transactions that notify are committed one
-- after the other. It knows the tables of its own statements, and not what functions and other triggers write for these, which is announced here.
create or replace function keel_notify_change() returns trigger language plpgsql as $$
declare
  calls text;
begin
  update "KeelTableVersions" set "Version" = "Version" + 1
  where "Id" = (select "Id" from "KeelTableVersions" where "TableName" = TG_TABLE_NAME limit 1 for update skip locked);
  if not found then
    insert into "KeelTableVersions" ("Id", "TableName", "Version") overriding system value
    values ((random() * 9007199254740991)::bigint, TG_TABLE_NAME, 1);
  end if;
  if current_setting('keel.announces_changes', true) = 'on' then
    get diagnostics calls = pg_context;
    -- One line for this function alone: a statement of the host's own.
    if position(chr(10) in calls) = 0 then
      return null;
    end if;
  end if;
  perform pg_notify('keel_changes', TG_TABLE_NAME);
  return null;
end
$$;
`,
  down: /* sql */ `
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
`,
}
