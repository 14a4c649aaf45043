import { z } from '../contracts/index.js'
import { type Configuration, configurationSection } from '../modularity/configuration.js'

/** The addresses of the applications that links in mails lead to. */
export const AppUrls = configurationSection('App', {
  /** The application that ABP's Angular UI calls `Angular`. */
  angularUrl: z.url().default('http://localhost:4200'),
  /** Others by their name: `App:Urls:Portal`. */
  urls: z.record(z.string(), z.url()).default({}),
})

/** The address of the auth server, as it finds its own; undefined where the host does not know it. */
export function authServerAddress(configuration: Configuration): string | undefined {
  return configuration.get('AuthServer:Authority') ?? configuration.get('App:SelfUrl')
}

/** The addresses that links in messages may lead to, and what is below them. */
export class LinkTargets {
  private readonly bases: readonly URL[]

  constructor(configuration: Configuration) {
    const { angularUrl, urls } = configuration.read(AppUrls)
    const known = [authServerAddress(configuration), configuration.get('App:SelfUrl'), angularUrl]
    this.bases = [...known, ...Object.values(urls)]
      .filter((address) => address !== undefined && URL.canParse(address))
      .map((address) => new URL(address as string))
  }

  /** The address as it may stand in a message. Throws for one that leads elsewhere: whoever reads it trusts the product. */
  demand(address: string): string {
    const url = URL.canParse(address) ? new URL(address) : undefined
    if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password && this.knows(url))
      return url.href
    throw new RangeError(
      `A link in a message leads to ${url?.origin ?? 'no address'}, which is no application of this host: see App:SelfUrl, App:AngularUrl, App:Urls`,
    )
  }

  /** A path of an example as an address of the first application. */
  exampleOf(path: string): string {
    const [base] = this.bases
    return `${base?.origin}${base?.pathname.replace(/\/$/, '')}${path}`
  }

  private knows({ origin, pathname }: URL): boolean {
    return this.bases.some(
      (base) => base.origin === origin && `${pathname}/`.startsWith(base.pathname.replace(/\/*$/, '/')),
    )
  }
}
