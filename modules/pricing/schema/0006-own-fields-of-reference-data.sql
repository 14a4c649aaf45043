-- Currencies and charge codes hold own fields. A constant default does not rewrite the table.
alter table "PricingCurrencies" add column "ExtraProperties" jsonb not null default '{}';
alter table "PricingChargeCodes" add column "ExtraProperties" jsonb not null default '{}';
