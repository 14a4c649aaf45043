import { crudPermissions, GrantedTo, OnlyWithFeature, PermissionGroup } from '@keel/framework/contracts'
import {
  CustomerAdmin,
  DefaultCustomer,
  OperationsManager,
  Operator,
  PricingAnalyst,
  PricingManager,
} from '@keel/identity/contracts'
import { PricingFeatures } from './settings.js'

/** Permissions on currencies and exchange rates. */
@PermissionGroup('Pricing')
export class ExchangeRatePermissions extends crudPermissions('ExchangeRate', {
  View: [DefaultCustomer],
  Create: [PricingAnalyst],
  Edit: [PricingAnalyst],
  Delete: [PricingManager],
}) {
  /** Import exchange rates and currencies from files, beside Create and Edit. */
  @GrantedTo(PricingAnalyst) static readonly Import = 'ExchangeRate.Import'
}

/** Permissions on charge codes. */
@PermissionGroup('Pricing')
export class ChargeCodePermissions extends crudPermissions('ChargeCode', {
  View: [DefaultCustomer],
  Create: [PricingAnalyst],
  Edit: [PricingAnalyst],
  Delete: [PricingManager],
}) {}

/** Permissions on zones of ports and countries. */
@PermissionGroup('Pricing')
export class RateZonePermissions extends crudPermissions('RateZone', {
  View: [PricingAnalyst],
  Create: [PricingAnalyst],
  Edit: [PricingAnalyst],
  Delete: [PricingAnalyst],
}) {}

/** Permissions on rate cards, their lanes, lines and breaks. */
@PermissionGroup('Pricing')
export class RateCardPermissions extends crudPermissions('RateCard', {
  View: [DefaultCustomer],
  Create: [PricingAnalyst],
  Edit: [PricingAnalyst],
  Delete: [PricingManager],
}) {
  /** Give drafts the content of a sheet, beside Edit. */
  @GrantedTo(PricingAnalyst) static readonly Import = 'RateCard.Import'
  /** Approve, return, suspend and resume cards. */
  @GrantedTo(PricingManager) static readonly Approve = 'RateCard.Approve'
  /** See buying cards. */
  @GrantedTo(PricingAnalyst) static readonly ViewBuy = 'RateCard.ViewBuy'
}

/** Permissions on surcharges. */
@PermissionGroup('Pricing')
export class SurchargePermissions extends crudPermissions('Surcharge', {
  View: [PricingAnalyst],
  Create: [PricingAnalyst],
  Edit: [PricingAnalyst],
  Delete: [PricingManager],
}) {}

/** Permissions on fuel indices and their values. */
@PermissionGroup('Pricing')
export class FuelIndexPermissions extends crudPermissions('FuelIndex', {
  View: [PricingAnalyst],
  Create: [PricingAnalyst],
  Edit: [PricingAnalyst],
  Delete: [PricingManager],
}) {}

/** Permissions on margin rules. */
@PermissionGroup('Pricing')
export class MarginRulePermissions extends crudPermissions('MarginRule', {
  View: [PricingAnalyst],
  Create: [PricingManager],
  Edit: [PricingManager],
  Delete: [PricingManager],
}) {}

/** Permissions on quotes. */
@PermissionGroup('Pricing')
@OnlyWithFeature(PricingFeatures.Quotes)
export class QuotePermissions extends crudPermissions('Quote', {
  View: [DefaultCustomer],
  Create: [CustomerAdmin, Operator, PricingAnalyst],
  Edit: [Operator, PricingAnalyst],
  Delete: [PricingManager],
}) {
  @GrantedTo(Operator, PricingAnalyst) static readonly Send = 'Quote.Send'
  /** Send quotes with little margin, or send them back. */
  @GrantedTo(PricingManager) static readonly Approve = 'Quote.Approve'
  /** Accept and reject quotes. */
  @GrantedTo(CustomerAdmin, Operator, PricingManager) static readonly Accept = 'Quote.Accept'
  /** See costs and margins. */
  @GrantedTo(PricingAnalyst) static readonly ViewCost = 'Quote.ViewCost'
}

/** Permissions on charges of shipments. */
@PermissionGroup('Pricing')
export class ShipmentChargePermissions extends crudPermissions('ShipmentCharge', {
  View: [DefaultCustomer],
  Create: [Operator],
  Edit: [Operator],
  Delete: [OperationsManager],
}) {
  /** Approve charges and record their invoices. */
  @GrantedTo(OperationsManager) static readonly Approve = 'ShipmentCharge.Approve'
  /** See costs and suppliers. */
  @GrantedTo(Operator, PricingAnalyst) static readonly ViewCost = 'ShipmentCharge.ViewCost'
}

/** The permission to change Pricing's settings. */
@PermissionGroup('Pricing')
export class PricingSettingPermissions {
  @GrantedTo(PricingManager) static readonly SettingManagement = 'Pricing.SettingManagement'
}
