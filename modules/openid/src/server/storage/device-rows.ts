import { newStamp, sql } from '@keel/framework/data'
import { type AdapterPayload, errors, Provider } from 'oidc-provider'
import { lifetimeOf } from '../clients/lifetimes.js'
import { expiryOf, payloadText, preparedStatement, rowIdOf } from './row-adapter.js'
import { TokenRows } from './token-rows.js'

/**
 * How long a device waits between two questions, and how much longer after it was told to slow down (RFC
 * 8628, section 3.5).
 */
export const pollSeconds = 5
/** The network may bring two questions closer together than they were asked. */
const graceSeconds = 1

/** The name of a device's code on pages: its row, since its value is known to the device alone. */
const byRow = 'row~'

/**
 * Devices that wait for a user to admit them (RFC 8628), in `OpenIddictTokens`: neither of their two codes is
 * stored, only digests.
 */
export class DeviceCodeRows extends TokenRows {
  override async upsert(id: string, payload: AdapterPayload, expiresIn?: number): Promise<void> {
    const { userCode, ...rest } = payload
    const client = await this.clients.find(payload.clientId ?? '')
    const reference = typeof userCode === 'string' ? digestOf(userCode) : null
    await this.database.execute(
      preparedStatement(
        'save-device-code',
        sql`insert into "OpenIddictTokens" ("Id", "ApplicationId", "AuthorizationId", "CreationDate", "ExpirationDate", "Payload", "Status",
              "Subject", "ReferenceId", "Type", "ExtraProperties", "ConcurrencyStamp")
            values (${this.rowOf(id)}, ${client?.id ?? null}, ${payload.grantId ?? null}, ${new Date()}, ${expiryOf(expiresIn)},
              ${payloadText(rest)}, 'valid', ${payload.accountId ?? null}, ${reference}, 'device_code', '{}', ${newStamp()})
            on conflict ("Id") do update set "AuthorizationId" = excluded."AuthorizationId", "Payload" = excluded."Payload",
              "Subject" = excluded."Subject", "ConcurrencyStamp" = excluded."ConcurrencyStamp"`,
      ),
    )
  }

  override async findByUserCode(userCode: string): Promise<AdapterPayload | undefined> {
    const [row] = await this.database.query<{ id: string; payload: string }>(
      preparedStatement(
        'find-device-by-user-code',
        sql`select "Id" as id, "Payload" as payload from "OpenIddictTokens"
            where "ReferenceId" = ${digestOf(userCode)} and "Type" = 'device_code' and "Status" = 'valid'`,
      ),
    )
    if (!row) return undefined
    const payload = JSON.parse(row.payload) as AdapterPayload
    return { ...payload, ...(await this.endOfUserCode(payload)), jti: byRow + row.id, userCode }
  }

  /**
   * A user code can end before the device's: then it is told as expired. Else the end stays the device's,
   * with which the row is written again.
   */
  private async endOfUserCode({ clientId, iat = 0 }: AdapterPayload): Promise<{ exp?: number }> {
    const client = await this.clients.find(clientId ?? '')
    const exp = iat + lifetimeOf('userCodeLifetime', client?.metadata)
    return exp * 1000 <= Date.now() ? { exp } : {}
  }

  /**
   * Throws `slow_down` for a device that asks too often before it was let in. What is known of one's last
   * question is the same for all copies.
   */
  override async find(id: string): Promise<AdapterPayload | undefined> {
    const payload = await super.find(id)
    const { route, client } = Provider.ctx?.oidc ?? {}
    const isWaiting = payload && !payload.accountId && !payload.error && payload.clientId === client?.clientId
    if (route === 'token' && isWaiting && (await this.asksTooOften(id))) throw new errors.SlowDown()
    return payload
  }

  private async asksTooOften(id: string): Promise<boolean> {
    const [asked] = await this.database.query<{ tooOften: boolean }>(
      preparedStatement(
        'device-asks',
        sql`with last as (
              select "Id", now() < to_timestamp(("Properties"::jsonb ->> 'AskedAt')::float8 + ("Properties"::jsonb ->> 'Interval')::int - ${graceSeconds}::int) as "tooOften",
                coalesce(("Properties"::jsonb ->> 'Interval')::int, ${pollSeconds}::int) as seconds
              from "OpenIddictTokens" where "Id" = ${this.rowOf(id)} for update)
            update "OpenIddictTokens" t set "Properties" = json_build_object('AskedAt', extract(epoch from now()),
              'Interval', seconds + case when "tooOften" then ${pollSeconds}::int else 0 end)
            from last where t."Id" = last."Id"
            returning coalesce("tooOften", false) as "tooOften"`,
      ),
    )
    return asked?.tooOften === true
  }

  /** Only the pages may name it by its row: ids of rows are no secrets. */
  protected override rowOf(id: string): string {
    const { route } = Provider.ctx?.oidc ?? {}
    const isOnPage = route === 'code_verification' || route === 'device_resume'
    return isOnPage && id.startsWith(byRow) ? id.slice(byRow.length) : super.rowOf(id)
  }
}

function digestOf(userCode: string): string {
  return rowIdOf('UserCode', userCode)
}
