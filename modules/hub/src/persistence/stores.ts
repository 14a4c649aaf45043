import { Injectable } from '@keel/framework'
import { StoreOf } from '@keel/framework/data'
import { Organization } from '../domain/organization.js'
import { Shipment, ShipmentAddress } from '../domain/shipment.js'

@Injectable()
export class ShipmentStore extends StoreOf(Shipment) {}

@Injectable()
export class ShipmentAddressStore extends StoreOf(ShipmentAddress) {}

@Injectable()
export class OrganizationStore extends StoreOf(Organization) {}
