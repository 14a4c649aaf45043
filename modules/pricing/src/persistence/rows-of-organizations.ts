import { Injectable } from '@keel/framework'
import {
  type BaseEntity,
  type EntityClass,
  identifier,
  type NewRow,
  Stores,
  sql,
  undeleted,
} from '@keel/framework/data'
import { MarginRule } from '../domain/margin-rule.js'
import { Quote, ShipmentCharge } from '../domain/quote.js'
import { RateCard } from '../domain/rate-card.js'

/** An organization as rows of Pricing hold it. */
export interface HeldOrganization {
  readonly id: string
  readonly code: string
  /** The name that quotes get; they keep theirs when not given. */
  readonly name?: string | null | undefined
}

/** The rows that belong to organizations. */
@Injectable()
export class RowsOfOrganizations {
  constructor(private readonly stores: Stores) {}

  /** Gives all that an organization has to another one. Runs in the unit of work at hand. */
  async move(sourceId: string, { id, code, name }: HeldOrganization): Promise<void> {
    const held = { organizationId: id, organizationCode: code }
    await this.write(RateCard, 'organizationId', sourceId, held)
    await this.write(MarginRule, 'organizationId', sourceId, held)
    await this.write(Quote, 'organizationId', sourceId, { ...held, ...(name && { organizationName: name }) })
    await this.write(ShipmentCharge, 'debtorOrganizationId', sourceId, { debtorOrganizationId: id })
    await this.write(ShipmentCharge, 'creditorOrganizationId', sourceId, { creditorOrganizationId: id })
  }

  /** Writes values into all rows that hold an id in an attribute. Audit log and events tell of each. */
  private async write<T extends BaseEntity>(
    entity: EntityClass<T>,
    attribute: keyof T & string,
    heldId: string,
    values: NewRow<T>,
  ): Promise<void> {
    const store = this.stores.of(entity)
    const column = identifier(store.meta.columns.get(attribute)?.column ?? attribute)
    const rows = await store.database.query<{ id: string }>(sql`
      select t."Id" as id from ${identifier(store.meta.table)} t where ${undeleted(entity as EntityClass, 't')} and t.${column} = ${heldId}`)
    if (rows.length)
      await store.updateMany(
        rows.map(({ id }) => ({ ...values, id })),
        { audit: 'rows', events: 'rows' },
      )
  }
}
