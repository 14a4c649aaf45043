import { AutoApiController, ambient, Clock } from '@keel/framework'
import { BusinessError, faultOf, ValidationError } from '@keel/framework/contracts'
import { Databases, PageReader, RowRules } from '@keel/framework/data'
import { hasPermission, RequiresPermission } from '@keel/framework/security'
import {
  type CreateShipmentNoteDto,
  HubErrors,
  NoteVisibility,
  ShipmentNoteAppService,
  type ShipmentNoteDto,
  ShipmentPermissions,
  type UpdateShipmentNoteDto,
} from '../contracts/index.js'
import { ShipmentNote } from '../domain/shipment-note.js'
import { ShipmentChildPermissions, ShipmentChildService } from './shipment-child-service.js'
import { ShipmentParents } from './shipment-parents.js'

/** Domain model, section 6.1. */
const editableMs = 24 * 3_600_000

@AutoApiController(ShipmentNoteAppService)
@RequiresPermission(ShipmentChildPermissions)
export class ShipmentNoteService extends ShipmentChildService(ShipmentNoteAppService, ShipmentNote, {
  searchIn: ['subject', 'text'],
}) {
  constructor(
    databases: Databases,
    rules: RowRules,
    pages: PageReader,
    parents: ShipmentParents,
    private readonly clock: Clock,
  ) {
    super(databases, rules, pages, parents)
  }

  override async create(input: CreateShipmentNoteDto): Promise<ShipmentNoteDto> {
    checkVisibility(input.visibility)
    return super.create(input)
  }

  override async update(id: string, input: UpdateShipmentNoteDto): Promise<ShipmentNoteDto> {
    checkVisibility(input.visibility)
    this.demandEditable(await this.store.get(id))
    return super.update(id, input)
  }

  /** Holders of `Shipment.Delete` delete the notes of others too. */
  override async delete(id: string): Promise<void> {
    const note = await this.store.get(id)
    if (!hasPermission(ShipmentPermissions.Delete)) this.demandEditable(note)
    await super.delete(id)
  }

  /** Refuses everybody but the author, and the author after 24 hours. */
  private demandEditable({ creatorId, creationTime }: ShipmentNote): void {
    const { userId } = ambient().principal
    const isAuthor = userId !== undefined && creatorId === userId
    if (!isAuthor || this.clock.nowMs > creationTime.getTime() + editableMs)
      throw new BusinessError(HubErrors.NoteNotEditable)
  }
}

/** Refuses to write notes that the caller could not read. */
function checkVisibility(visibility: NoteVisibility | undefined): void {
  if (visibility === NoteVisibility.Internal && !hasPermission(ShipmentPermissions.ViewInternalNotes))
    throw new ValidationError([faultOf('visibility', 'Hub:Validation:InternalNote')])
}
