import {
  AggregateRoot,
  Column,
  DataType,
  Entity,
  FullyAuditedEntity,
  OptionalColumn,
  Timestamp,
} from '@keel/framework/data'
import {
  ChargeCondition,
  LanePointType,
  PricingErrors,
  RateBasis,
  RateCardStatus,
  RateCardType,
  RateDateBasis,
} from '../contracts/index.js'
import { ChargeCode } from './charge-code.js'
import { currencyOf } from './currency.js'
import { rateCardsOfCaller, withItsRateCard, withItsRateLane, withItsRateLine } from './pricing-context.js'
import { RateZone } from './rate-zone.js'

/** A contract with a supplier or a tariff for customers. */
@Entity('PricingRateCards', {
  rules: [rateCardsOfCaller],
  watched: true,
  referred: 'joined',
  conflicts: {
    IX_PricingRateCards_Reference_Version: PricingErrors.RateCardReferenceAlreadyExists,
    // Exclusion constraints: they stand in the schema script.
    EX_PricingRateCards_Versions: PricingErrors.RateCardOverlappingValidity,
    EX_PricingRateCards_Customers: PricingErrors.RateCardOverlappingValidity,
  },
  indexes: [
    { attributes: ['reference', 'version'], unique: true, where: '"IsDeleted" = false' },
    { attributes: ['cardType', 'status', 'transportModeCode', 'validFrom', 'validTo'] },
    { attributes: ['organizationId'] },
    { attributes: ['previousVersionId'] },
    { attributes: ['validTo'], name: 'Ending', where: '"Status" in (2, 3) and "IsDeleted" = false' },
  ],
  checks: {
    CardType: '"CardType" between 0 and 1',
    Status: '"Status" between 0 and 6',
    DateBasis: '"DateBasis" between 0 and 2',
    ValidTo: '"ValidTo" >= "ValidFrom"',
    VolumetricDivisor: '"VolumetricDivisor" between 1000 and 10000',
    MinimumRevenueTon: `"MinimumRevenueTon" >= 0 and "MinimumRevenueTon" <> 'NaN'`,
  },
})
export class RateCard extends AggregateRoot {
  @Column(DataType.STRING(50)) declare reference: string
  @Column(DataType.STRING(200)) declare name: string
  @Column(DataType.SMALLINT, { enumeration: { RateCardType } }) declare cardType: RateCardType
  @Column(DataType.SMALLINT, { enumeration: { RateCardStatus }, defaultValue: RateCardStatus.Draft })
  declare status: RateCardStatus
  @Column(DataType.STRING(20)) declare transportModeCode: string
  @OptionalColumn(DataType.STRING(20)) declare containerModeCode: string | null
  @OptionalColumn(DataType.STRING(20)) declare carrierCode: string | null
  @OptionalColumn(DataType.UUID) declare organizationId: string | null
  @OptionalColumn(DataType.STRING(20)) declare organizationCode: string | null
  @OptionalColumn(DataType.STRING(50)) declare contractNumber: string | null
  @Column(DataType.CHAR(3), currencyOf) declare currencyCode: string
  @Column(DataType.DATEONLY) declare validFrom: string
  @Column(DataType.DATEONLY) declare validTo: string
  @Column(DataType.SMALLINT, {
    enumeration: { RateDateBasis },
    defaultValue: RateDateBasis.EstimatedDeparture,
  })
  declare dateBasis: RateDateBasis
  @Column(DataType.SMALLINT, { defaultValue: 100 }) declare priority: number
  @Column(DataType.INTEGER, { defaultValue: 6000 }) declare volumetricDivisor: number
  @Column(DataType.DECIMAL(6, 3), { defaultValue: '1' }) declare minimumRevenueTon: string
  @Column(DataType.SMALLINT, { defaultValue: 1 }) declare version: number
  @OptionalColumn(DataType.UUID, { references: () => RateCard }) declare previousVersionId: string | null
  @OptionalColumn(DataType.UUID) declare approvedById: string | null
  @OptionalColumn(Timestamp) declare approvalTime: Date | null
  @OptionalColumn(DataType.STRING(256)) declare statusReason: string | null
  /** The user who last changed the draft, its lanes, lines or breaks: not its approver. */
  @OptionalColumn(DataType.UUID) declare lastEditorId: string | null
  @OptionalColumn(DataType.STRING(2000)) declare notes: string | null
}

/** A relation of a rate card. */
@Entity('PricingRateLanes', {
  rules: [withItsRateCard],
  referred: 'joined',
  conflicts: { IX_PricingRateLanes_RateCardId_LaneNumber: PricingErrors.RateLaneAlreadyExists },
  indexes: [
    { attributes: ['rateCardId', 'laneNumber'], unique: true, where: '"IsDeleted" = false' },
    { attributes: ['originUnLocode', 'destinationUnLocode'] },
    { attributes: ['originZoneId', 'destinationZoneId'] },
    { attributes: ['originCountryCode', 'destinationCountryCode'] },
    { attributes: ['destinationZoneId'] },
    { attributes: ['originType'], name: 'FromAnywhere', where: '"OriginType" = 3' },
  ],
  checks: {
    OriginType: `"OriginType" between 0 and 3 and num_nonnulls("OriginUnLocode", "OriginZoneId", "OriginCountryCode") = case when "OriginType" = 3 then 0 else 1 end
      and case "OriginType" when 0 then "OriginUnLocode" is not null when 1 then "OriginZoneId" is not null when 2 then "OriginCountryCode" is not null else true end`,
    DestinationType: `"DestinationType" between 0 and 3 and num_nonnulls("DestinationUnLocode", "DestinationZoneId", "DestinationCountryCode") = case when "DestinationType" = 3 then 0 else 1 end
      and case "DestinationType" when 0 then "DestinationUnLocode" is not null when 1 then "DestinationZoneId" is not null when 2 then "DestinationCountryCode" is not null else true end`,
    TransitDays: '"TransitDays" between 0 and 120',
    FreeDays: '"FreeDays" between 0 and 60',
    DeparturesPerWeek: `"DeparturesPerWeek" >= 0 and "DeparturesPerWeek" <> 'NaN'`,
  },
})
export class RateLane extends FullyAuditedEntity {
  @Column(DataType.UUID, { references: () => RateCard }) declare rateCardId: string
  @Column(DataType.INTEGER) declare laneNumber: number
  @Column(DataType.SMALLINT, { enumeration: { LanePointType } }) declare originType: LanePointType
  @Column(DataType.SMALLINT, { enumeration: { LanePointType } }) declare destinationType: LanePointType
  @OptionalColumn(DataType.CHAR(5)) declare originUnLocode: string | null
  @OptionalColumn(DataType.CHAR(5)) declare destinationUnLocode: string | null
  @OptionalColumn(DataType.UUID, { references: () => RateZone }) declare originZoneId: string | null
  @OptionalColumn(DataType.UUID, { references: () => RateZone }) declare destinationZoneId: string | null
  @OptionalColumn(DataType.CHAR(2)) declare originCountryCode: string | null
  @OptionalColumn(DataType.CHAR(2)) declare destinationCountryCode: string | null
  @OptionalColumn(DataType.CHAR(5)) declare viaUnLocode: string | null
  @OptionalColumn(DataType.STRING(20)) declare carrierCode: string | null
  @OptionalColumn(DataType.STRING(20)) declare serviceLevelCode: string | null
  @OptionalColumn(DataType.INTEGER) declare transitDays: number | null
  @OptionalColumn(DataType.DECIMAL(4, 1)) declare departuresPerWeek: string | null
  @OptionalColumn(DataType.INTEGER) declare freeDays: number | null
  @Column(DataType.BOOLEAN, { defaultValue: true }) declare isActive: boolean
}

/** A charge on a lane. */
@Entity('PricingRateLines', {
  rules: [withItsRateLane],
  referred: 'joined',
  conflicts: { IX_PricingRateLines_Charge: PricingErrors.RateLineDuplicate },
  indexes: [
    {
      attributes: ['rateLaneId', 'chargeCodeId', 'containerTypeCode', 'appliesWhen'],
      name: 'Charge',
      unique: true,
      nullsNotDistinct: true,
      where: '"IsDeleted" = false',
    },
    { attributes: ['chargeCodeId'] },
  ],
  checks: {
    Basis: '"Basis" between 0 and 10',
    AppliesWhen: '"AppliesWhen" between 0 and 3',
    MaxAmount: '"MaxAmount" >= "MinAmount"',
    Amounts: `"Amount" >= 0 and "Amount" <> 'NaN' and "MinAmount" >= 0 and "MinAmount" <> 'NaN' and "MaxAmount" >= 0 and "MaxAmount" <> 'NaN'`,
  },
})
export class RateLine extends FullyAuditedEntity {
  @Column(DataType.UUID, { references: () => RateLane }) declare rateLaneId: string
  @Column(DataType.UUID, { references: () => ChargeCode, onDelete: 'no action' }) declare chargeCodeId: string
  @Column(DataType.SMALLINT, { enumeration: { RateBasis } }) declare basis: RateBasis
  @OptionalColumn(DataType.CHAR(4)) declare containerTypeCode: string | null
  @Column(DataType.CHAR(3), currencyOf) declare currencyCode: string
  @OptionalColumn(DataType.DECIMAL(18, 4)) declare amount: string | null
  @OptionalColumn(DataType.DECIMAL(18, 4)) declare minAmount: string | null
  @OptionalColumn(DataType.DECIMAL(18, 4)) declare maxAmount: string | null
  @Column(DataType.SMALLINT, { enumeration: { ChargeCondition }, defaultValue: ChargeCondition.Always })
  declare appliesWhen: ChargeCondition
  @Column(DataType.BOOLEAN, { defaultValue: true }) declare allowHigherBreak: boolean
}

/** A quantity break of a line. */
@Entity('PricingRateBreaks', {
  rules: [withItsRateLine],
  conflicts: { IX_PricingRateBreaks_RateLineId_FromQuantity: PricingErrors.RateBreakNotAscending },
  indexes: [{ attributes: ['rateLineId', 'fromQuantity'], unique: true, where: '"IsDeleted" = false' }],
  checks: {
    FromQuantity: `"FromQuantity" >= 0 and "FromQuantity" <> 'NaN'`,
    Amount: `"Amount" >= 0 and "Amount" <> 'NaN'`,
  },
})
export class RateBreak extends FullyAuditedEntity {
  @Column(DataType.UUID, { references: () => RateLine }) declare rateLineId: string
  @Column(DataType.DECIMAL(18, 3)) declare fromQuantity: string
  @Column(DataType.DECIMAL(18, 4)) declare amount: string
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare isFlat: boolean
}
