import { Injectable } from '@keel/framework'
import { and, RowRules, sql } from '@keel/framework/data'
import { ShipmentAddressStore } from './stores.js'

/** The companies that a caller meets as parties of the shipments that the caller sees. */
@Injectable()
export class KnownParties {
  constructor(
    private readonly addresses: ShipmentAddressStore,
    private readonly rules: RowRules,
  ) {}

  /** Of these organizations, those that are such parties, by id, with a name that the caller sees there. */
  async namesOf(organizationIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (organizationIds.length === 0) return new Map()
    const { database, meta } = this.addresses
    const visible = and([...(await this.rules.conditionsFor(meta, 't')), sql`t."OrganizationId" = id`])
    const rows = await database.query<{ id: string; name: string }>(sql`
      select id, known.name from unnest(${[...new Set(organizationIds)]}::uuid[]) id
      cross join lateral (
        select t."CompanyName" as name from "HubShipmentAddresses" t where ${visible} order by t."Id" desc limit 1) known`)
    return new Map(rows.map(({ id, name }) => [id, name]))
  }
}
