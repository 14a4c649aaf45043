import { type Configuration, configurationSection, StartupError } from '@keel/framework'
import { z } from '@keel/framework/contracts'

/** How the auth server presents itself. */
export const AuthServerSettings = configurationSection('AuthServer', {
  /** The issuer: its own public address. Required outside Development, where `App:SelfUrl` stands in. */
  authority: z.url().optional(),
  /** When false, an issuer without TLS is allowed outside Development too: somebody in front ends TLS, or nobody does. */
  requireHttpsMetadata: z.boolean().default(true),
  /** PEM of the signing certificate with its private key, or the path of such a file. Required outside Development. */
  signingCertificate: z.string().optional(),
  signingCertificatePassword: z.string().optional(),
})

/** The issuer, with the trailing slash that OpenIddict has and ABP's clients compare. Throws a {@link StartupError} without one, or without TLS. */
export function issuerOf(configuration: Configuration): string {
  const { authority, requireHttpsMetadata } = configuration.read(AuthServerSettings)
  const address = authority ?? (configuration.isDevelopment ? configuration.get('App:SelfUrl') : undefined)
  if (!address)
    throw new StartupError(
      'AuthServer:Authority is not set. Set it to the public address of the auth server, e.g. https://login.example.com.',
    )
  if (requireHttpsMetadata && !configuration.isDevelopment && !address.startsWith('https:')) {
    throw new StartupError(
      `AuthServer:Authority is ${address}, without TLS. Use https, or set AuthServer:RequireHttpsMetadata to false.`,
    )
  }
  return `${address.replace(/\/+$/, '')}/`
}
