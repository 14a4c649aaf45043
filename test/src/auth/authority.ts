import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Application } from '@keel/framework'
import { sql } from '@keel/framework/data'
import { UserDirectory, type UserRecord } from '@keel/identity/contracts'
import { type IdentityOAuthSettingsDto, StoredSettings } from '@keel/setting-management/contracts'
import { type AuthHost, startAuthHost, tooling } from './auth-host.js'

/** Of everybody at the authority. */
export const theirPassword = 'Their-pass-1'

/** Another auth server, as the server of a company that keeps its passwords. */
export interface Authority {
  readonly host: AuthHost
  readonly address: string
  /** What is entered on the settings page to sign in with it. */
  readonly form: IdentityOAuthSettingsDto
  /** Adds somebody. */
  person(userName: string, more?: object): Promise<UserRecord>
  /** How often a password for a name came there. */
  askedAbout(userName: string): Promise<number>
  close(): Promise<void>
}

/** Starts an authority at an address of its own. */
export async function startAuthority(): Promise<Authority> {
  const port = await freePort()
  const address = `http://localhost:${port}/`
  const settings = {
    'AuthServer:Authority': address,
    PORT: String(port),
    'SignInLimits:FailuresPerAddress': '1000',
  }
  const host = await startAuthHost({ settings })
  return {
    host,
    address,
    form: {
      enableOAuthLogin: true,
      clientId: tooling.client_id,
      clientSecret: tooling.client_secret,
      authority: address,
      scope: 'openid profile email phone',
      requireHttpsMetadata: false,
      validateEndpoints: true,
      validateIssuerName: true,
    },
    person: (userName, more = {}) =>
      host.host.get(UserDirectory).create({
        userName,
        email: `${userName}@contoso.com`,
        name: 'Their',
        surname: 'Name',
        password: theirPassword,
        isEmailConfirmed: true,
        ...more,
      }),
    async askedAbout(userName) {
      const [found] = await host.database.query<{ count: number }>(sql`
        select count(*)::int as count from "AbpSecurityLogs" where "UserName" = ${userName} and "Action" like 'Login%'`)
      return found?.count ?? 0
    },
    close: () => host.close(),
  }
}

/** Stores what the settings page would. */
export function useAuthority(
  host: Pick<Application, 'get'>,
  form: Partial<IdentityOAuthSettingsDto>,
): Promise<void> {
  const { enableOAuthLogin, ...rest } = form
  const values = Object.entries(rest).map(([member, value]) => [
    `Abp.Identity.OAuthLogin.${member.charAt(0).toUpperCase()}${member.slice(1)}`,
    value ?? null,
  ])
  return host.get(StoredSettings).setForEverybody({
    ...Object.fromEntries(values),
    ...(enableOAuthLogin !== undefined && { 'Abp.Identity.EnableOAuthLogin': enableOAuthLogin }),
  })
}

async function freePort(): Promise<number> {
  const server = http.createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise<void>((resolve) => server.close(() => resolve()))
  return port
}
