import { AppService, crud, Dto, EntityDto, enumeration, guid, instant, z } from '@keel/framework/contracts'
import { NoteVisibility } from './enumerations.js'
import { Hub } from './hub.js'
import { OfShipmentListInput } from './shipment-children.js'

const fields = {
  subject: z.string().trim().max(200).nullish(),
  text: z.string().trim().min(1).max(4000),
}

/** A note on a shipment. Internal ones exist for holders of `Shipment.ViewInternalNotes` alone. */
export class ShipmentNoteDto extends EntityDto({
  shipmentId: guid(),
  visibility: enumeration('NoteVisibility', NoteVisibility),
  ...fields,
  isPinned: z.boolean(),
  creationTime: instant(),

  /** The author. */
  creatorId: guid().nullish(),
  lastModificationTime: instant().nullish(),
}) {}

const options = {
  /** `Customer` when not given. Internal notes are written by callers who may read them. */
  visibility: enumeration('NoteVisibility', NoteVisibility).optional(),
  isPinned: z.boolean().optional(),
}

/** The input for writing a note. */
export class CreateShipmentNoteDto extends Dto({ shipmentId: guid(), ...fields, ...options }) {}

/** The input for changing a note, for its author and for 24 hours: absent members stay. */
export class UpdateShipmentNoteDto extends Dto({ ...fields, ...options, text: fields.text.optional() }) {}

/** The conversation on shipments. */
export abstract class ShipmentNoteAppService extends AppService(
  Hub,
  'ShipmentNoteAppService',
  crud(ShipmentNoteDto, CreateShipmentNoteDto, UpdateShipmentNoteDto, OfShipmentListInput),
) {}
