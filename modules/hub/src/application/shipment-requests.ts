import { Injectable } from '@keel/framework'
import { BusinessError, ValidationError } from '@keel/framework/contracts'
import { ReferenceSets } from '@keel/framework/data'
import { DistributedEventBus, EventHandler } from '@keel/framework/events'
import {
  AddressRole,
  HubErrors,
  ShipmentAppService,
  ShipmentRequestAnsweredEto,
  ShipmentRequestedEto,
} from '../contracts/index.js'
import { CodeEntity } from '../domain/code-entity.js'
import { Port } from '../domain/port.js'
import { ShipmentStore } from '../persistence/stores.js'

/** Makes the shipments that other modules ask for. Each request is handled exactly once, and its source and external id are one shipment. */
@Injectable()
export class ShipmentRequests {
  constructor(
    private readonly shipments: ShipmentStore,
    private readonly service: ShipmentAppService,
    private readonly references: ReferenceSets,
    private readonly events: DistributedEventBus,
  ) {}

  @EventHandler(ShipmentRequestedEto)
  async create(request: ShipmentRequestedEto): Promise<void> {
    const { shipmentReference } = request
    const known = await this.shipments.ofSource(request)
    if (known)
      return this.answer(request, { shipmentId: known.id, shipmentReference: known.shipmentReference })
    if (await this.shipments.findByReference(shipmentReference))
      return this.answer(request, { shipmentId: null, refusal: HubErrors.ShipmentReferenceAlreadyExists })
    try {
      const { id } = await this.service.create(await this.inputOf(request))
      await this.answer(request, { shipmentId: id })
    } catch (error) {
      // What the rules refuse would be refused again. A row that another transaction wrote meanwhile is met by the next attempt.
      if (!isRefusedByRules(error) || (await this.shipments.ofSource(request))) throw error
      await this.answer(request, { shipmentId: null, refusal: error.code ?? 'Validation' })
    }
  }

  private async answer(
    { requestId, sourceSystem, externalId, shipmentReference }: ShipmentRequestedEto,
    outcome: { shipmentId: string | null; refusal?: string; shipmentReference?: string },
  ): Promise<void> {
    const answer = { requestId, sourceSystem, externalId, shipmentReference, ...outcome }
    await this.events.publish(new ShipmentRequestAnsweredEto(answer), { key: externalId })
  }

  private async inputOf(request: ShipmentRequestedEto) {
    const { shipmentReference, cargoDescription, totalPackages, totalGrossWeight, totalVolume } = request
    const { isDangerousGoods, isTemperatureControlled, quoteId, quoteReference, sourceSystem, externalId } =
      request
    const { originUnLocode, destinationUnLocode, transportModeCode, containerModeCode, incotermCode } =
      request
    const ports = await this.references.matching(Port, 'unLocode', [originUnLocode, destinationUnLocode])
    const codes = await this.references.matching(CodeEntity, 'code', [
      ...[transportModeCode, containerModeCode, incotermCode ?? ''],
    ])
    const portId = (code: string) => ports.idsBy('unLocode', code)[0]
    const codeId = (type: string, code: string) =>
      codes.idsBy('code', code).find((id) => codes.value(id, 'type') === type)
    return {
      ...{ shipmentReference, cargoDescription, totalPackages, totalGrossWeight, totalVolume },
      ...{ isDangerousGoods, isTemperatureControlled, quoteId, quoteReference, sourceSystem, externalId },
      firstConsolLegDeparturePortId: portId(originUnLocode),
      lastConsolLegArrivalPortId: portId(destinationUnLocode),
      transportModeId: codeId('TransportMode', transportModeCode),
      containerModeId: codeId('ContainerMode', containerModeCode),
      incotermId: incotermCode ? codeId('Incoterm', incotermCode) : null,
      cargoReadyDate: request.cargoReadyDate ? new Date(`${request.cargoReadyDate}T00:00:00Z`) : null,
      addresses: [{ role: AddressRole.ControllingCustomer, organizationId: request.organizationId }],
    }
  }
}

/** True for what rules refuse before anything is written. A conflict of unique keys is no such thing. */
function isRefusedByRules(error: unknown): error is BusinessError | ValidationError {
  return (error instanceof BusinessError || error instanceof ValidationError) && error.cause === undefined
}
