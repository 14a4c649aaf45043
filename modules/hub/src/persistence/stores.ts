import { Injectable } from '@keel/framework'
import { StoreOf, sql } from '@keel/framework/data'
import { Document } from '../domain/document.js'
import { Order } from '../domain/order.js'
import { Organization, OrganizationMember } from '../domain/organization.js'
import { Shipment, ShipmentAddress } from '../domain/shipment.js'

@Injectable()
export class ShipmentStore extends StoreOf(Shipment) {}

@Injectable()
export class ShipmentAddressStore extends StoreOf(ShipmentAddress) {}

@Injectable()
export class DocumentStore extends StoreOf(Document) {
  /** Every document of a shipment, also those that the caller does not see. */
  ofShipment(shipmentId: string): Promise<Document[]> {
    return this.everyWhere(sql`t."ShipmentId" = ${shipmentId}`)
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
  ofUser(userId: string): Promise<OrganizationMember[]> {
    return this.where(sql`t."UserId" = ${userId}`)
  }
}
