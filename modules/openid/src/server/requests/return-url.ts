import type { Interaction } from 'oidc-provider'
import type { Context } from './context.js'
import { routes } from './routes.js'

/** A path on this server, whatever was asked for: no redirect leads away from here. */
export function localPath(asked: string | undefined): string {
  if (!asked?.startsWith('/') || !URL.canParse(asked, 'http://here')) return '/'
  const { origin, pathname, search } = new URL(asked, 'http://here')
  // A path may start with two slashes after its dots are gone, and would then be an address of its own.
  return origin === 'http://here' && !pathname.startsWith('//') ? pathname + search : '/'
}

/** The address to continue at after a page, by its query (ABP's `ReturnUrl`); undefined without one. */
export function returnUrlOf(ctx: Context): string | undefined {
  const asked = ctx.query.ReturnUrl ?? ctx.query.returnUrl
  const path = typeof asked === 'string' ? localPath(asked) : '/'
  return path === '/' ? undefined : path
}

/** A page's address that goes on to another one when it is done. */
export function withReturnUrl(path: string, returnUrl: string | undefined): string {
  return returnUrl === undefined ? path : `${path}?ReturnUrl=${encodeURIComponent(returnUrl)}`
}

/** The request that waits for a sign-in, as an address: a sign-in on another page starts it again. */
export function requestAgain({ params }: Pick<Interaction, 'params'>): string {
  const given = Object.entries(params).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  )
  return `${routes.authorization}?${new URLSearchParams(given)}`
}

/** Seconds for which a sign-in that has just happened is a new one. */
const newSignInSeconds = 60

/**
 * The request that waits, without its demand for a sign-in, which has just happened. With the demand it would
 * be asked for again, for ever. `max_age` has the client be told of the time, and is no less than it takes to go on.
 */
export function withoutPrompt(returnUrl: string | undefined): string | undefined {
  if (!returnUrl?.startsWith(`${routes.authorization}?`)) return returnUrl
  const [path, query = ''] = returnUrl.split(/\?(.*)/s)
  const parameters = new URLSearchParams(query)
  const prompts = (parameters.get('prompt') ?? '').split(' ')
  const rest = prompts.filter((prompt) => prompt && prompt !== 'login' && prompt !== 'select_account')
  if (rest.length) parameters.set('prompt', rest.join(' '))
  else parameters.delete('prompt')
  const maxAge = parameters.get('max_age') ?? (prompts.includes('login') ? '0' : undefined)
  if (maxAge !== undefined) parameters.set('max_age', String(Math.max(Number(maxAge) || 0, newSignInSeconds)))
  return `${path}?${parameters}`
}

/**
 * True when the client that waits takes no sign-in from before, or none beyond an age. A provider then has to tell of a new
 * one: its session of before has no age here.
 */
export function demandsNewSignIn(returnUrl: string | undefined): boolean {
  if (!returnUrl?.startsWith(`${routes.authorization}?`)) return false
  const parameters = new URLSearchParams(returnUrl.split(/\?(.*)/s)[1])
  return (parameters.get('prompt') ?? '').split(' ').includes('login') || parameters.has('max_age')
}
