import { Injectable } from '@keel/framework'
import { StoreOf } from '@keel/framework/data'
import { Document } from '../domain/document.js'
import { Order } from '../domain/order.js'
import { Organization, OrganizationMember } from '../domain/organization.js'
import { Shipment, ShipmentAddress } from '../domain/shipment.js'

@Injectable()
export class ShipmentStore extends StoreOf(Shipment) {}

@Injectable()
export class ShipmentAddressStore extends StoreOf(ShipmentAddress) {}

@Injectable()
export class DocumentStore extends StoreOf(Document) {}

@Injectable()
export class OrderStore extends StoreOf(Order) {}

@Injectable()
export class OrganizationStore extends StoreOf(Organization) {}

@Injectable()
export class OrganizationMemberStore extends StoreOf(OrganizationMember) {}
