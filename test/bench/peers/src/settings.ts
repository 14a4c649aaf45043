import { createPublicKey, type JsonWebKey } from 'node:crypto'

const { PORT, DATABASE_URL, ISSUER, AUDIENCE } = process.env

/** What every peer is told: where to listen, the database of Hub, and whose tokens to take. */
export const settings = {
  port: Number(PORT),
  databaseUrl: DATABASE_URL ?? '',
  issuer: ISSUER ?? '',
  audience: AUDIENCE ?? '',
  /** Of each pool. */
  connections: 10,
} as const

/** What a token must keep to besides its signature. */
export const tokenRules = {
  algorithms: ['RS256' as const],
  issuer: settings.issuer,
  audience: settings.audience,
}

/** The key that the authorization server signs with, as PEM. It is read once at the start. */
export async function readPublicKey(): Promise<string> {
  const { jwks_uri } = await readJson<{ jwks_uri: string }>(
    new URL('.well-known/openid-configuration', settings.issuer).href,
  )
  const { keys } = await readJson<{ keys: JsonWebKey[] }>(jwks_uri)
  if (!keys[0]) throw new Error(`${jwks_uri} has no key`)
  return createPublicKey({ key: keys[0], format: 'jwk' }).export({ type: 'spki', format: 'pem' }).toString()
}

async function readJson<T>(address: string): Promise<T> {
  return (await (await fetch(address)).json()) as T
}
