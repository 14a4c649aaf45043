import type { Context } from './context.js'

/**
 * Sends the browser to another page with a new GET request, so that reloading that page sends no form again.
 * @param done the name of the action that the page is to report as done
 */
export function redirect(ctx: Context, address: string, done?: string): void {
  ctx.status = 303
  ctx.redirect(done === undefined ? address : `${address}?done=${done}`)
}

/** The action that the page before has finished, if it is one of these. */
export function finishedActionIn({ query }: Context, known: readonly string[]): string | undefined {
  return known.find((name) => name === query.done)
}
