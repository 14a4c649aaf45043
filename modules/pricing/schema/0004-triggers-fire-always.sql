-- Change triggers fire for truncate too, and in sessions that replicate or restore (session_replication_role).
-- replaces e4bcbb319c54249e3da181e0358d9c24b2780730ec15c9abba95f37bddd5512e

create or replace trigger "TR_PricingCurrencies_NotifyChange" after insert or update or delete or truncate on "PricingCurrencies"
  for each statement execute function keel_notify_change();
alter table "PricingCurrencies" enable always trigger "TR_PricingCurrencies_NotifyChange";
create or replace trigger "TR_PricingExchangeRates_NotifyChange" after insert or update or delete or truncate on "PricingExchangeRates"
  for each statement execute function keel_notify_change();
alter table "PricingExchangeRates" enable always trigger "TR_PricingExchangeRates_NotifyChange";
create or replace trigger "TR_PricingChargeCodes_NotifyChange" after insert or update or delete or truncate on "PricingChargeCodes"
  for each statement execute function keel_notify_change();
alter table "PricingChargeCodes" enable always trigger "TR_PricingChargeCodes_NotifyChange";
