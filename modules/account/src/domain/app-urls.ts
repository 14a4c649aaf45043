import { loginPagesApp } from '../contracts/index.js'

/** An application that links in mails lead to. */
export interface KnownApp {
  readonly root: string
  readonly passwordReset: string
  readonly emailConfirmation: string
}

/** The applications of a host by their lower-case names. */
export type KnownApps = ReadonlyMap<string, KnownApp>

/**
 * Every application that may be named in a request.
 * @param authority the auth server's address, which has pages of its own
 */
export function knownApps(
  { angularUrl, urls }: { angularUrl: string; urls: Record<string, string> },
  authority: string | undefined,
): KnownApps {
  const ofAngular = {
    passwordReset: 'account/reset-password',
    emailConfirmation: 'account/email-confirmation',
  }
  const ofPages = { passwordReset: 'Account/ResetPassword', emailConfirmation: 'Account/EmailConfirmation' }
  const apps = Object.entries({ angular: angularUrl, ...urls }).map(
    ([name, root]) => [name.toLowerCase(), { root, ...ofAngular }] as const,
  )
  return new Map([
    ...(authority ? [[loginPagesApp.toLowerCase(), { root: authority, ...ofPages }] as const] : []),
    ...apps,
  ])
}

/** The parameters of a link in a mail. `returnUrl` and `returnUrlHash` come from strangers. */
export interface LinkParts {
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly returnUrl?: string | null | undefined
  readonly returnUrlHash?: string | null | undefined
}

/**
 * A link into an application, with ABP's parameters. A return address is kept only when it leads into the
 * same application: a stranger may ask for somebody's mail, and must not choose where it sends them.
 */
export function linkInto(root: string, { path, query, returnUrl, returnUrlHash }: LinkParts): string {
  const link = new URL(`${root.replace(/\/+$/, '')}/${path}`)
  for (const [name, value] of Object.entries(query)) link.searchParams.set(name, value)
  if (returnUrl && isWithin(root, returnUrl)) {
    link.searchParams.set('returnUrl', returnUrl)
    if (returnUrlHash) link.searchParams.set('returnUrlHash', returnUrlHash)
  }
  return link.toString()
}

function isWithin(root: string, url: string): boolean {
  // Browsers take a backslash for a slash, so `/\\evil.example` leads away.
  return !url.includes('\\') && URL.canParse(url, root) && new URL(url, root).origin === new URL(root).origin
}
