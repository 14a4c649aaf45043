import { type Configuration, configurationSection, StartupError } from '@keel/framework'
import { z } from '@keel/framework/contracts'

/** The configuration of the auth server. */
export const AuthServerSettings = configurationSection('AuthServer', {
  /** The issuer: its own public address. Required outside Development, where `App:SelfUrl` stands in. */
  authority: z.url().optional(),
  /**
   * True demands an https issuer and requests over TLS: by their own connection, or by the word of a trusted
   * proxy (`X-Forwarded-Proto`, `App:TrustedProxies`). By default true outside Development. False for a
   * server behind a proxy that ends TLS and is the only way to it.
   */
  requireHttpsMetadata: z.boolean().optional(),
  /**
   * True lets public clients, which cannot authenticate, introspect the tokens that were issued to them (RFC
   * 7662, section 2.1).
   */
  allowPublicIntrospection: z.boolean().default(false),
  /**
   * Days after a sign-in at which a browser and its clients have to sign in again, however much they are
   * used. Without it, use puts that off for ever.
   */
  maxSessionDays: z.int().min(1).max(3650).optional(),
  /**
   * True lets `{0}` in a redirect address of a client stand for any name directly below a domain, e.g.
   * `https://{0}.example.com/signin-oidc`.
   */
  wildcardRedirects: z.boolean().default(false),
  /**
   * The signing certificate with its private key: PEM, a PFX in base64, or the path of a file with one of
   * them. Required outside Development.
   */
  signingCertificate: z.string().optional(),
  /** The password of the signing certificate's PFX or key. */
  signingCertificatePassword: z.string().optional(),
  /**
   * More such certificates whose keys are published and accepted but don't sign: the next one, and those that
   * were replaced.
   */
  publishedCertificates: z
    .array(z.object({ certificate: z.string(), password: z.string().optional() }))
    .default([]),
  /**
   * As the signing certificate, which stands in for it. It must be valid; nothing is encrypted with it (see
   * the README).
   */
  encryptionCertificate: z.string().optional(),
  /** The password of the encryption certificate's PFX or key. */
  encryptionCertificatePassword: z.string().optional(),
})

/** True when requests without TLS are refused. */
export function requiresTls(configuration: Configuration): boolean {
  return configuration.read(AuthServerSettings).requireHttpsMetadata ?? !configuration.isDevelopment
}

/** Seconds that a session lasts at most from the sign-in on; infinity without a limit. */
export function maxSessionSeconds(configuration: Configuration): number {
  const { maxSessionDays } = configuration.read(AuthServerSettings)
  return maxSessionDays === undefined ? Number.POSITIVE_INFINITY : maxSessionDays * 24 * 3600
}

/**
 * The issuer, with the trailing slash that OpenIddict has and ABP's clients compare. Throws a {@link
 * StartupError} without one, or without TLS.
 */
export function issuerOf(configuration: Configuration): string {
  const { authority } = configuration.read(AuthServerSettings)
  const address = authority ?? (configuration.isDevelopment ? configuration.get('App:SelfUrl') : undefined)
  if (!address)
    throw new StartupError(
      'AuthServer:Authority is not set. Set it to the public address of the auth server, e.g. https://login.example.com.',
    )
  if (requiresTls(configuration) && !address.startsWith('https:')) {
    throw new StartupError(
      `AuthServer:Authority is ${address}, without TLS. Use https, or set AuthServer:RequireHttpsMetadata to false.`,
    )
  }
  return `${address.replace(/\/+$/, '')}/`
}
