import { Injectable } from '@keel/framework'
import { StoreOf, sql } from '@keel/framework/data'
import { DocumentStatus } from '../contracts/index.js'
import { Document } from '../domain/document.js'
import { Order } from '../domain/order.js'
import { Organization, OrganizationMember } from '../domain/organization.js'
import { Shipment, ShipmentAddress } from '../domain/shipment.js'
import { ShipmentStatusHistory } from '../domain/shipment-status-history.js'
import { membershipCounts } from './memberships.js'

/** What makes two documents the same. */
export type DocumentContent = Pick<Document, 'sha256' | 'documentTypeId'> &
  Partial<Pick<Document, 'shipmentId' | 'orderId' | 'organizationId'>>

/** A user as an input names one. */
export interface NamedUser {
  readonly userId?: string | null | undefined
  readonly userName?: string | null | undefined
}

@Injectable()
export class ShipmentStore extends StoreOf(Shipment) {}

@Injectable()
export class ShipmentAddressStore extends StoreOf(ShipmentAddress) {
  /** Every party of a shipment. */
  ofShipment(shipmentId: string): Promise<ShipmentAddress[]> {
    return this.everyWhere(sql`t."ShipmentId" = ${shipmentId}`)
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

  /** A document that counts, with the same file, type and parents; undefined when the caller sees none. */
  async findDuplicate(document: DocumentContent): Promise<Document | undefined> {
    const { sha256, documentTypeId, shipmentId, orderId, organizationId } = document
    const counting = [DocumentStatus.Pending, DocumentStatus.Published]
    const found = await this.where(sql`t."Sha256" = ${sha256} and t."DocumentTypeId" = ${documentTypeId}
      and t."ShipmentId" is not distinct from ${shipmentId ?? null}::uuid
      and t."OrderId" is not distinct from ${orderId ?? null}::uuid
      and t."OrganizationId" is not distinct from ${organizationId ?? null}::uuid
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
}

@Injectable()
export class OrganizationStore extends StoreOf(Organization) {}

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
