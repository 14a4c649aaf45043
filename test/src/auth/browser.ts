/** Where a browser ended: on a page of the server, or at a client's address. */
export interface Arrival {
  /** The address outside the server that it was sent to. */
  readonly callback?: URL
  readonly status: number
  readonly html: string
}

/** A browser without script: follows redirects, keeps cookies by path and fills forms. */
export class Browser {
  private readonly cookies = new Map<string, { name: string; value: string; path: string }>()

  constructor(
    private readonly origin: string,
    private readonly send: typeof fetch,
    /** Sent with every request, as a proxy would add them. */
    private readonly headers: Readonly<Record<string, string>> = {},
  ) {}

  open(address: string): Promise<Arrival> {
    return this.follow(new URL(address, this.origin), {})
  }

  /** Sends the form of a page with what it holds and what is filled in: the first one, or the first that has a text in it. */
  submit({ html: page }: Arrival, filled: Record<string, string>, within = ''): Promise<Arrival> {
    const forms = [...page.matchAll(/<form[\s\S]*?<\/form>/g)].map(([text]) => text)
    const html = forms.find((text) => text.includes(within)) ?? ''
    const action = /<form[^>]* action="([^"]*)"/.exec(html)?.[1]?.replaceAll('&amp;', '&')
    if (!action) throw new Error(`There is no such form on the page:\n${page}`)
    const hidden = [...html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(
      ([, name, value]) => [name, value],
    )
    const body = new URLSearchParams({ ...(Object.fromEntries(hidden) as Record<string, string>), ...filled })
    return this.follow(new URL(action, this.origin), { method: 'POST', body })
  }

  /** The value of a cookie; empty without it. */
  cookie(name: string): string {
    return [...this.cookies.values()].find((cookie) => cookie.name === name)?.value ?? ''
  }

  /** Puts a cookie into the browser, as somebody else might. */
  plant(name: string, value: string): void {
    this.cookies.set(`${name} /`, { name, value, path: '/' })
  }

  hasCookie(name: string): boolean {
    return [...this.cookies.values()].some((cookie) => cookie.name === name)
  }

  private async follow(to: URL, init: RequestInit, hops = 10): Promise<Arrival> {
    if (to.origin !== new URL(this.origin).origin) return { callback: to, status: 302, html: '' }
    const headers = { ...this.headers, accept: 'text/html', cookie: this.cookieHeader(to.pathname) }
    const response = await this.send(to, { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) this.keep(line)
    const location = response.headers.get('location')
    if (!location || hops === 0) return { status: response.status, html: await response.text() }
    return this.follow(new URL(location, to), {}, hops - 1)
  }

  cookieHeader(path: string): string {
    const sent = [...this.cookies.values()].filter(
      (cookie) => path === cookie.path || path.startsWith(cookie.path.replace(/\/?$/, '/')),
    )
    return sent.map(({ name, value }) => `${name}=${value}`).join('; ')
  }

  private keep(line: string): void {
    const [pair = '', ...attributes] = line.split('; ')
    const [name = '', value = ''] = pair.split(/=(.*)/s)
    const path = attributes.find((attribute) => attribute.startsWith('path='))?.slice(5) ?? '/'
    const expires = attributes.find((attribute) => attribute.startsWith('expires='))?.slice(8)
    if (value === '' || (expires && new Date(expires) < new Date())) this.cookies.delete(`${name} ${path}`)
    else this.cookies.set(`${name} ${path}`, { name, value, path })
  }
}
