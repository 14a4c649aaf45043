-- Change triggers fire for truncate too, and in sessions that replicate or restore (session_replication_role).

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

create or replace trigger "TR_PricingCurrencies_NotifyChange" after insert or update or delete or truncate on "PricingCurrencies"
  for each statement execute function keel_notify_change();
alter table "PricingCurrencies" enable always trigger "TR_PricingCurrencies_NotifyChange";
create or replace trigger "TR_PricingExchangeRates_NotifyChange" after insert or update or delete or truncate on "PricingExchangeRates"
  for each statement execute function keel_notify_change();
alter table "PricingExchangeRates" enable always trigger "TR_PricingExchangeRates_NotifyChange";
create or replace trigger "TR_PricingChargeCodes_NotifyChange" after insert or update or delete or truncate on "PricingChargeCodes"
  for each statement execute function keel_notify_change();
alter table "PricingChargeCodes" enable always trigger "TR_PricingChargeCodes_NotifyChange";
