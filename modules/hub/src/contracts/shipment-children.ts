import { Dto, FilteredPagedInput, guid } from '@keel/framework/contracts'

/** The input of a list of rows that belong to shipments. Callers who do not see all organizations name the shipment. */
export class OfShipmentListInput extends Dto({
  ...FilteredPagedInput.shape,

  /** Only rows of this shipment. */
  shipmentId: guid().nullish(),
}) {}
