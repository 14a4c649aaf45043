import { Injectable } from '@keel/framework'
import { StoreOf } from '@keel/framework/data'
import { Shipment, ShipmentAddress } from '../domain/shipment.js'

@Injectable()
export class ShipmentStore extends StoreOf(Shipment) {}

@Injectable()
export class ShipmentAddressStore extends StoreOf(ShipmentAddress) {}
