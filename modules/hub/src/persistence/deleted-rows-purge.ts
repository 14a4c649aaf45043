import { Clock, Injectable, Logger, Settings } from '@keel/framework'
import { Databases, type EntityClass, purgeDeleted } from '@keel/framework/data'
import { RecurringJob } from '@keel/framework/jobs'
import { HubSettings } from '../contracts/index.js'
import { Consol, ConsolLeg, ConsolShipment } from '../domain/consol.js'
import { Container, ShipmentContainer } from '../domain/container.js'
import { Document } from '../domain/document.js'
import { Order, OrderLine } from '../domain/order.js'
import { Organization, OrganizationMember } from '../domain/organization.js'
import { OrganizationAddress } from '../domain/organization-address.js'
import { OrganizationContact } from '../domain/organization-contact.js'
import { PackLine, PackLineDangerousGoods } from '../domain/pack-line.js'
import { SailingSchedule } from '../domain/sailing-schedule.js'
import { Shipment, ShipmentAddress } from '../domain/shipment.js'
import { ShipmentException } from '../domain/shipment-exception.js'
import { ShipmentMilestone } from '../domain/shipment-milestone.js'
import { ShipmentNote } from '../domain/shipment-note.js'
import { ShipmentReferenceNumber } from '../domain/shipment-reference-number.js'
import { DocumentFiles } from './document-files.js'

const dayMs = 86_400_000
/** Rows that refer to others go before these. */
const entities: readonly EntityClass[] = [
  PackLineDangerousGoods,
  PackLine,
  ShipmentContainer,
  ConsolShipment,
  Container,
  ConsolLeg,
  Consol,
  SailingSchedule,
  ShipmentReferenceNumber,
  ShipmentMilestone,
  ShipmentNote,
  ShipmentException,
  ShipmentAddress,
  OrderLine,
  Order,
  Shipment,
  OrganizationMember,
  OrganizationContact,
  OrganizationAddress,
  Organization,
]

/** Deletes rows for good, and the files of documents with their previews, that were deleted longer ago than a setting says. */
@Injectable()
export class DeletedRowsPurge {
  constructor(
    private readonly databases: Databases,
    private readonly files: DocumentFiles,
    private readonly settings: Settings,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  @RecurringJob('41 3 * * *')
  async purge(): Promise<void> {
    const days = Number(await this.settings.valueOf(HubSettings.DeletedRowsRetentionDays.name))
    if (!(days > 0)) return
    const before = new Date(this.clock.nowMs - days * dayMs)
    let rows = await purgeDeleted(this.databases, Document, before, ['blobName'], (documents) =>
      this.deleteFiles(documents.map(({ blobName }) => String(blobName))),
    )
    for (const entity of entities) rows += await purgeDeleted(this.databases, entity, before)
    if (rows) this.logger.info({ rows, days }, 'deleted rows went for good')
  }

  /** A file that can't be deleted stays behind without a document; the rows are gone already. */
  private async deleteFiles(names: readonly string[]): Promise<void> {
    for (const name of names) {
      try {
        await this.files.delete(name)
      } catch (error) {
        this.logger.warn({ err: error, blob: name }, 'the file of a document that is gone was not deleted')
      }
    }
  }
}
