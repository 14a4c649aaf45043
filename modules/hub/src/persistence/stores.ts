import { Injectable } from '@keel/framework'
import { emptyGuid } from '@keel/framework/contracts'
import { DataFilters, type NewRow, SoftDelete, StoreOf, sql, UnitOfWork } from '@keel/framework/data'
import type { ReferenceType, ShipmentStatus } from '../contracts/index.js'
import { DocumentStatus } from '../contracts/index.js'
import { Document } from '../domain/document.js'
import { Order, OrderLine, OrderStatusHistory } from '../domain/order.js'
import { Organization, OrganizationMember } from '../domain/organization.js'
import { OrganizationAddress } from '../domain/organization-address.js'
import { OrganizationContact } from '../domain/organization-contact.js'
import { type Party, Shipment, ShipmentAddress } from '../domain/shipment.js'
import { ShipmentMilestone } from '../domain/shipment-milestone.js'
import { ShipmentReferenceNumber } from '../domain/shipment-reference-number.js'
import { ShipmentStatusHistory } from '../domain/shipment-status-history.js'
import { membershipCounts } from './memberships.js'

/** The values by which two documents count as the same. */
export type DocumentContent = Pick<Document, 'sha256' | 'documentTypeId'> &
  Partial<Pick<Document, 'shipmentId' | 'orderId' | 'organizationId' | 'replacesDocumentId'>>

/** What identifies a shipment: its reference, and its key in another system. */
export type ShipmentNames = Pick<Shipment, 'shipmentReference' | 'sourceSystem' | 'externalId'>

/** A document that expires soon. */
export type ExpiringDocument = Pick<
  Document,
  'id' | 'tenantId' | 'fileName' | 'shipmentId' | 'orderId' | 'organizationId' | 'documentTypeId' | 'version'
> & { readonly expiryDate: string; readonly daysLeft: number }

/** A user as an input names one. */
export interface NamedUser {
  readonly userId?: string | null | undefined
  readonly userName?: string | null | undefined
}

/** The defaults of a party. */
const noAddress = {
  organizationId: null,
  addressLine1: null,
  addressLine2: null,
  city: null,
  stateProvince: null,
  postalCode: null,
  countryCode: null,
  contactName: null,
  phone: null,
  email: null,
  taxNumber: null,
} as const

@Injectable()
export class ShipmentStore extends StoreOf(Shipment) {
  /** The shipment with a reference; undefined when there is none that the caller may see. */
  async findByReference(reference: string): Promise<Shipment | undefined> {
    return (await this.where(sql`t."ShipmentReference" = ${reference}`))[0]
  }

  /** The status of a shipment, also of one that the caller does not see; undefined without a shipment. */
  async statusOf(id: string | null): Promise<ShipmentStatus | undefined> {
    return id ? (await this.everyWhere(sql`t."Id" = ${id}`))[0]?.status : undefined
  }

  /** The shipment that another system has under its own id, also one that the caller does not see. */
  async ofSource({
    sourceSystem,
    externalId,
  }: {
    sourceSystem: string
    externalId: string
  }): Promise<Shipment | undefined> {
    return (
      await this.everyWhere(sql`t."SourceSystem" = ${sourceSystem} and t."ExternalId" = ${externalId}`)
    )[0]
  }

  /** The same, if the caller sees it. */
  async visibleOfSource(sourceSystem: string, externalId: string): Promise<Shipment | undefined> {
    return (await this.where(sql`t."SourceSystem" = ${sourceSystem} and t."ExternalId" = ${externalId}`))[0]
  }

  /** The names of the shipments that have the reference, or the key in another system, of one of these; also of those that the caller does not see. */
  namedLike(wanted: readonly ShipmentNames[]): Promise<ShipmentNames[]> {
    const textsOf = (name: keyof ShipmentNames) => wanted.map((names) => names[name])
    return this.database.query(sql`
      select t."ShipmentReference" as "shipmentReference", t."SourceSystem" as "sourceSystem", t."ExternalId" as "externalId"
      from unnest(${textsOf('shipmentReference')}::text[]) w (reference)
      join "HubShipments" t on t."ShipmentReference" = w.reference and not t."IsDeleted"
      union all
      select t."ShipmentReference", t."SourceSystem", t."ExternalId"
      from unnest(${textsOf('sourceSystem')}::text[], ${textsOf('externalId')}::text[]) w (source, id)
      join "HubShipments" t on t."SourceSystem" = w.source and t."ExternalId" = w.id and not t."IsDeleted"`)
  }

  /** Those with these ids that the caller may see. */
  withIds(ids: readonly string[]): Promise<Shipment[]> {
    return ids.length ? this.where(sql`t."Id" = any(${ids}::uuid[])`) : Promise.resolve([])
  }

  /** Those with these ids, also those that the caller does not see. */
  everyWithIds(ids: readonly string[]): Promise<Shipment[]> {
    return ids.length ? this.everyWhere(sql`t."Id" = any(${ids}::uuid[])`) : Promise.resolve([])
  }

  /** Locks shipments until the unit of work ends, in one order for all callers, and answers their stamps. */
  lock(ids: readonly string[]): Promise<{ readonly id: string; readonly stamp: string }[]> {
    return this.database.query(sql`
      select "Id" as id, "ConcurrencyStamp" as stamp from "HubShipments"
      where "Id" = any(${ids}::uuid[]) and not "IsDeleted" order by "Id" for update`)
  }
}

@Injectable()
export class ShipmentAddressStore extends StoreOf(ShipmentAddress) {
  /** Every party of a shipment. */
  ofShipment(shipmentId: string): Promise<ShipmentAddress[]> {
    return this.everyWhere(sql`t."ShipmentId" = ${shipmentId}`)
  }

  /** Every party of these shipments. */
  ofShipments(shipmentIds: readonly string[]): Promise<ShipmentAddress[]> {
    return this.everyWhere(sql`t."ShipmentId" = any(${shipmentIds}::uuid[])`)
  }

  /** Puts parties in the place of those so far. A party with role and sequence of one so far takes its row. */
  async replace(
    shipmentId: string,
    before: readonly ShipmentAddress[],
    after: readonly (NewRow<ShipmentAddress> & Party & { companyName: string })[],
  ): Promise<void> {
    const keyOf = ({ role, sequence }: Party) => `${role}:${sequence}`
    const kept = new Map(before.map((address) => [keyOf(address), address]))
    const wanted = new Set(after.map(keyOf))
    for (const [key, address] of kept) if (!wanted.has(key)) await this.remove(address)
    for (const party of after) {
      const row = kept.get(keyOf(party))
      if (row) await this.update(row, { ...noAddress, ...party })
      else await this.insert({ ...party, shipmentId })
    }
  }
}

@Injectable()
export class ShipmentReferenceNumberStore extends StoreOf(ShipmentReferenceNumber) {
  /** Gives a shipment a reference, unless it has the same already. */
  async note(shipmentId: string, referenceType: ReferenceType, value: string): Promise<void> {
    const [same] = await this.everyWhere(
      sql`t."ShipmentId" = ${shipmentId} and t."ReferenceType" = ${referenceType} and t."Value" = ${value}`,
    )
    if (!same) await this.insert({ shipmentId, referenceType, value })
  }
}

@Injectable()
export class ShipmentMilestoneStore extends StoreOf(ShipmentMilestone) {
  /** Every milestone of a shipment, also those that the caller does not see, in their order. */
  async ofShipment(shipmentId: string): Promise<ShipmentMilestone[]> {
    const milestones = await this.everyWhere(sql`t."ShipmentId" = ${shipmentId}`)
    return milestones.sort((a, b) => a.sequence - b.sequence)
  }

  /** The milestones of shipments that have not happened. */
  openOf(shipmentIds: readonly string[]): Promise<ShipmentMilestone[]> {
    return this.everyWhere(sql`t."ShipmentId" = any(${shipmentIds}::uuid[]) and t."ActualTime" is null`)
  }
}

@Injectable()
export class ShipmentStatusHistoryStore extends StoreOf(ShipmentStatusHistory) {}

@Injectable()
export class DocumentStore extends StoreOf(Document) {
  /** Every document of a shipment, also those that the caller does not see. */
  ofShipment(shipmentId: string): Promise<Document[]> {
    return this.everyWhere(sql`t."ShipmentId" = ${shipmentId}`)
  }

  /** Those with these ids that the caller may see. */
  withIds(ids: readonly string[]): Promise<Document[]> {
    return this.where(sql`t."Id" = any(${ids}::uuid[])`)
  }

  /** The document with this id, also one that the caller does not see; undefined when there is none. */
  async everyOne(id: string): Promise<Document | undefined> {
    return (await this.everyWhere(sql`t."Id" = ${id}`))[0]
  }

  /** True when another version took the place of a document. */
  async isSuperseded(id: string): Promise<boolean> {
    const waiting = [DocumentStatus.Pending, DocumentStatus.Quarantined]
    const later = await this.everyWhere(
      sql`t."ReplacesDocumentId" = ${id} and t."Status" <> all(${waiting}::smallint[])`,
    )
    return later.length > 0
  }

  /** True when a new version of a document waits for the scanner. */
  async hasPendingVersion(id: string): Promise<boolean> {
    const waiting = await this.everyWhere(
      sql`t."ReplacesDocumentId" = ${id} and t."Status" = ${DocumentStatus.Pending}`,
    )
    return waiting.length > 0
  }

  /** Documents that have waited for the scanner, created within a period, the oldest first. */
  async pendingBetween(from: Date, to: Date, most: number): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(sql`
      select "Id" as id from "HubDocuments" where "Status" = ${DocumentStatus.Pending} and not "IsDeleted"
        and "CreationTime" between ${from} and ${to} order by "CreationTime" limit ${most}`)
    return rows.map(({ id }) => id)
  }

  /**
   * Documents in force that a threshold was reached of which nobody has reminded yet: they count as reminded from the commit of the unit of work at
   * hand. A part of them at once.
   * @param thresholds days before the expiry date
   */
  async takeExpiring(
    today: string,
    thresholds: readonly number[],
    most: number,
  ): Promise<ExpiringDocument[]> {
    const rows = await this.database.query<ExpiringDocument>(sql`
      update "HubDocuments" t set "ExpiryRemindedDays" = due.threshold
      from (
        select d."Id" as id, reached.threshold from "HubDocuments" d,
          lateral (select min(n) as threshold from unnest(${thresholds}::smallint[]) n where n >= d."ExpiryDate" - ${today}::date) reached
        where not d."IsDeleted" and d."Status" = ${DocumentStatus.Published}
          and d."ExpiryDate" between ${today}::date and ${today}::date + ${Math.max(...thresholds)}::int
          and coalesce(d."ExpiryRemindedDays", 32767) > reached.threshold
        limit ${most} for update of d skip locked) due
      where t."Id" = due.id
      returning t."Id" as id, t."TenantId" as "tenantId", t."FileName" as "fileName", t."ShipmentId" as "shipmentId", t."OrderId" as "orderId",
        t."OrganizationId" as "organizationId", t."DocumentTypeId" as "documentTypeId", t."Version" as version,
        t."ExpiryDate"::text as "expiryDate", t."ExpiryDate" - ${today}::date as "daysLeft"`)
    if (rows.length) UnitOfWork.current?.changed(this.database, this.meta.table)
    return rows
  }

  /** Documents that were deleted before an instant, and whose file was not, in the order of their ids after one of them. */
  withDeletedBefore(
    before: Date,
    after: string | undefined,
    most: number,
  ): Promise<{ readonly id: string; readonly blobName: string }[]> {
    return this.database.query(sql`
      select "Id" as id, "BlobName" as "blobName" from "HubDocuments"
      where "IsDeleted" and "DeletionTime" < ${before} and "FileDeletionTime" is null
        and "Id" > ${after ?? emptyGuid}::uuid
      order by "Id" limit ${most}`)
  }

  /** Notes of deleted documents that their files are gone. Nobody else sees these rows. */
  async noteDeletedFiles(ids: readonly string[], now: Date): Promise<void> {
    await UnitOfWork.run(async () => {
      await this.database.execute(
        sql`update "HubDocuments" set "FileDeletionTime" = ${now} where "Id" = any(${ids}::uuid[])`,
      )
      UnitOfWork.current?.changed(this.database, this.meta.table)
    })
  }

  /** A document that counts, with the same file, type and parents; undefined when the caller sees none. The one that is replaced does not count. */
  async findDuplicate(document: DocumentContent): Promise<Document | undefined> {
    const { sha256, documentTypeId, shipmentId, orderId, organizationId, replacesDocumentId } = document
    const counting = [DocumentStatus.Pending, DocumentStatus.Published]
    const found = await this.where(sql`t."Sha256" = ${sha256} and t."DocumentTypeId" = ${documentTypeId}
      and t."ShipmentId" is not distinct from ${shipmentId ?? null}::uuid
      and t."OrderId" is not distinct from ${orderId ?? null}::uuid
      and t."OrganizationId" is not distinct from ${organizationId ?? null}::uuid
      and t."Id" is distinct from ${replacesDocumentId ?? null}::uuid
      and t."Status" = any(${counting}::smallint[])`)
    return found[0]
  }
}

@Injectable()
export class OrderStore extends StoreOf(Order) {
  /** Every order on a shipment, also those that the caller does not see. */
  ofShipment(shipmentId: string): Promise<Order[]> {
    return this.everyWhere(sql`t."ShipmentId" = ${shipmentId}`)
  }

  /** The orders that a buyer has under an external id and the caller sees, without what was split from them. */
  withExternalId(buyerId: string, externalId: string): Promise<Order[]> {
    return this.where(
      sql`t."BuyerId" = ${buyerId} and t."ExternalId" = ${externalId} and t."SplitNumber" = 0`,
    )
  }

  /** The highest number of the parts of an order, also of those that the caller does not see. */
  async lastSplitOf({ buyerId, orderNumber }: Order): Promise<number> {
    const parts = await this.everyWhere(sql`t."BuyerId" = ${buyerId} and t."OrderNumber" = ${orderNumber}`)
    return Math.max(...parts.map(({ splitNumber }) => splitNumber))
  }
}

@Injectable()
export class OrderLineStore extends StoreOf(OrderLine) {
  /** Every line of an order, by their numbers. */
  async ofOrder(orderId: string): Promise<OrderLine[]> {
    const lines = await this.everyWhere(sql`t."OrderId" = ${orderId}`)
    return lines.sort((a, b) => a.lineNumber - b.lineNumber)
  }
}

@Injectable()
export class OrderStatusHistoryStore extends StoreOf(OrderStatusHistory) {}

@Injectable()
export class OrganizationStore extends StoreOf(Organization) {
  /** Those of these organizations that the caller sees. */
  withIds(ids: readonly string[]): Promise<Organization[]> {
    return this.where(sql`t."Id" = any(${ids}::uuid[])`)
  }

  /** The organization that another system has under its own id, if the caller sees it. */
  async withExternalId(externalId: string): Promise<Organization | undefined> {
    return (await this.where(sql`t."ExternalId" = ${externalId}`))[0]
  }

  /** Every organization directly below one. */
  childrenOf(id: string): Promise<Organization[]> {
    return this.everyWhere(sql`t."ParentOrganizationId" = ${id}`)
  }

  /**
   * Locks an organization until the unit of work ends. What refers to it is committed then; whoever gives it something meanwhile waits, and is refused
   * when it is deleted (schema script 0034).
   */
  async lock(id: string): Promise<void> {
    await this.database.query(sql`select from "HubOrganizations" where "Id" = ${id} for update`)
  }

  /** Deleted organizations of which no merge is noted. */
  deletedWithoutMerge(): Promise<Organization[]> {
    return DataFilters.disable(SoftDelete, () =>
      this.everyWhere(sql`t."IsDeleted" and t."MergedIntoId" is null`),
    )
  }

  /** The organization that has what was an organization's: itself, or the last one that it was merged into. Undefined when that one is deleted. */
  async survivorOf(id: string): Promise<Organization | undefined> {
    const [found] = await this.database.query<{ id: string }>(sql`
      with recursive merged as (
        select "Id", "MergedIntoId", "IsDeleted" from "HubOrganizations" where "Id" = ${id}
        union select o."Id", o."MergedIntoId", o."IsDeleted" from merged m join "HubOrganizations" o on o."Id" = m."MergedIntoId" and m."IsDeleted")
      select "Id" as id from merged where not "IsDeleted" limit 1`)
    return found && this.find(found.id)
  }

  /** Notes the merge of an organization that is deleted already. */
  async noteMerge(id: string, targetId: string): Promise<void> {
    await this.database.execute(
      sql`update "HubOrganizations" set "MergedIntoId" = ${targetId} where "Id" = ${id} and "IsDeleted"`,
    )
    UnitOfWork.current?.changed(this.database, this.meta.table)
  }

  /**
   * Holds organizations until the unit of work ends: none of them is merged or deleted meanwhile. A merge locks the organization first and what it has afterwards. So a row that may
   * have one of these organizations already is written only after this: in the other order the two would wait for each other.
   */
  async hold(ids: readonly (string | null | undefined)[]): Promise<void> {
    const held = ids.filter((id) => id != null)
    if (held.length)
      await this.database.query(
        sql`select from "HubOrganizations" where "Id" = any(${held}::uuid[]) order by "Id" for key share`,
      )
  }
}

@Injectable()
export class OrganizationAddressStore extends StoreOf(OrganizationAddress) {}

@Injectable()
export class OrganizationContactStore extends StoreOf(OrganizationContact) {
  /** The contacts at a place of an organization. */
  ofAddress(organizationAddressId: string): Promise<OrganizationContact[]> {
    return this.everyWhere(sql`t."OrganizationAddressId" = ${organizationAddressId}`)
  }
}

@Injectable()
export class OrganizationMemberStore extends StoreOf(OrganizationMember) {
  /** Every membership of a user, also in organizations that the caller does not see. */
  ofUser(userId: string): Promise<OrganizationMember[]> {
    return this.everyWhere(sql`t."UserId" = ${userId}`)
  }

  /** A membership that the caller sees of the user with this id or, without one, this name in any case; undefined for none. */
  async findVisible({ userId, userName }: NamedUser): Promise<OrganizationMember | undefined> {
    const isNamed = userId ? sql`t."UserId" = ${userId}` : sql`lower(t."UserName") = lower(${userName})`
    return (await this.where(isNamed))[0]
  }

  /** The membership with this id; undefined when it is not one of the user's that count at a moment. */
  async findCounting(id: string, userId: string, now: Date): Promise<OrganizationMember | undefined> {
    return (await this.where(sql`t."Id" = ${id} and ${membershipCounts(userId, now)}`))[0]
  }
}
