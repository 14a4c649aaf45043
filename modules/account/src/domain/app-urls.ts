import { configurationSection } from '@keel/framework'
import { z } from '@keel/framework/contracts'

/** Where the applications are that links in mails lead to. */
export const AppUrls = configurationSection('App', {
  /** The application that ABP's Angular UI calls `Angular`. */
  angularUrl: z.url().default('http://localhost:4200'),
  /** Others by their name: `App:Urls:Portal`. */
  urls: z.record(z.string(), z.url()).default({}),
})

/** The addresses of a host's applications by their lower-case names. */
export type KnownApps = ReadonlyMap<string, string>

/** Every application that may be named in a request. */
export function knownApps({
  angularUrl,
  urls,
}: {
  angularUrl: string
  urls: Record<string, string>
}): KnownApps {
  const all = { angular: angularUrl, ...urls }
  return new Map(Object.entries(all).map(([name, url]) => [name.toLowerCase(), url]))
}

/** What a link in a mail carries. `returnUrl` and `returnUrlHash` come from strangers. */
export interface LinkParts {
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly returnUrl?: string | null | undefined
  readonly returnUrlHash?: string | null | undefined
}

/**
 * A link into an application, with ABP's parameters. A return address is kept only when it leads into the same application: a stranger may
 * ask for somebody's mail, and must not choose where it sends them.
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
