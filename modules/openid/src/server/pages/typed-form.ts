import { Injectable } from '@keel/framework'
import type { Context } from '../requests/context.js'
import type { AccountPage, BrowserAccount } from './account-page.js'
import { SealedCookies } from './sealed-cookies.js'

/** The time limit for a new proof. */
const seconds = 15 * 60
/** Sealed it has to fit into the 4 KiB that browsers keep of a cookie. */
const maxBytes = 2400

interface Typed {
  readonly userId: string
  readonly values: Readonly<Record<string, string>>
}

/**
 * Keeps the input of a page's form in the browser while its person is sent to prove who they are. No
 * passwords. A form of more than 2,400 bytes is not kept.
 */
@Injectable()
export class TypedForm {
  constructor(private readonly cookies: SealedCookies) {}

  keep(ctx: Context, page: Pick<AccountPage, 'path'>, { id }: BrowserAccount, values: Typed['values']): void {
    const content: Typed = { userId: id, values }
    if (Buffer.byteLength(JSON.stringify(content)) <= maxBytes)
      this.cookies.set(ctx, { ...cookieOf(page), seconds }, content)
  }

  /** The values of {@link keep}, once; undefined when there are none, or another user's. */
  take(ctx: Context, page: Pick<AccountPage, 'path'>, { id }: BrowserAccount): Typed['values'] | undefined {
    const typed = this.cookies.read<Typed>(ctx, cookieOf(page))
    if (!typed) return undefined
    this.cookies.clear(ctx, cookieOf(page))
    return typed.userId === id ? typed.values : undefined
  }
}

function cookieOf({ path }: Pick<AccountPage, 'path'>) {
  return { name: 'keel.typed', path }
}
