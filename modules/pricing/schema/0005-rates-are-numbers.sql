-- PostgreSQL's numeric holds NaN, which is greater than all numbers and which JSON lacks: a member that the API promises would be null. Rows from
-- before are not checked.
alter table "PricingExchangeRates"
  add constraint "CK_PricingExchangeRates_RateIsNumber" check ("Rate" <> 'NaN') not valid;
