/** What the host of this page serves as `/config.json`: where the servers are, and what the product looks like. */
export interface RunTimeConfiguration {
  readonly apiUrl: string
  readonly authority: string
  readonly clientId: string
  /** True where the client has the grant type `Impersonation`. */
  readonly impersonation: boolean
  /** Empty for the name of the application. */
  readonly title: string
  /** Empty for none. */
  readonly logoUrl: string
  readonly primaryColor: string
}

/** Reads `/config.json`. Throws when the host of this page does not answer. */
export async function loadConfig(): Promise<RunTimeConfiguration> {
  const answer = await fetch('/config.json', { cache: 'no-store' })
  if (!answer.ok) throw new Error(`/config.json answered ${answer.status}`)
  return (await answer.json()) as RunTimeConfiguration
}
