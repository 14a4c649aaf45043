import { ambient, Clock, Injectable } from '@keel/framework'
import type { TextReference } from '@keel/framework/contracts'
import type { Context } from '../requests/context.js'
import { Pages } from './pages.js'

/** A link on a page that only tells something. The first is the most likely next step. */
export interface NoticeAction {
  /** Key of a text. */
  readonly label: string
  readonly address: string
  /** True for an action that leads away: it looks less like the next step. */
  readonly isMinor?: boolean
}

/** A page that tells something: what happened, and what to do now. All texts by their keys. */
export interface Notice {
  readonly title: string
  /** Sentences of their own, each a paragraph. */
  readonly texts: readonly (string | TextReference)[]
  readonly actions?: readonly NoticeAction[]
  /** Names and values for an operator, as they are. */
  readonly details?: readonly (readonly [label: string, value: string])[]
}

const toStart: NoticeAction = { label: 'SignIn:ToStart', address: '/', isMinor: true }

/** Pages that tell something, among them those that help when something went wrong. */
@Injectable()
export class Notices {
  constructor(
    private readonly pages: Pages,
    private readonly clock: Clock,
  ) {}

  show(ctx: Context, { title, texts, actions = [toStart], details = [] }: Notice, status = 200): void {
    const told = texts.map((text) =>
      typeof text === 'string' ? this.pages.text(text) : this.pages.text(text.key, text.data),
    )
    this.pages.show(ctx, 'notice', { title, texts: told, actions, details }, status)
  }

  /** Something went wrong: says so, and gives what finds it in the logs. */
  showFault(ctx: Context, notice: Notice, status: number): void {
    const { correlationId } = ambient()
    const details = [...(notice.details ?? []), ['SignIn:Reference', correlationId] as const]
    this.show(ctx, { ...notice, details }, status)
  }

  /** A sign-in that this browser has not under way any more. */
  showExpired(ctx: Context): void {
    this.showFault(ctx, { title: 'SignIn:StartAgain', texts: ['SignIn:Expired', 'SignIn:ExpiredHelp'] }, 400)
  }

  showNotFound(ctx: Context): void {
    this.showFault(ctx, { title: 'SignIn:NotFound', texts: ['SignIn:NotFoundHelp'] }, 404)
  }

  showFailed(ctx: Context): void {
    this.showFault(ctx, { title: 'SignIn:Failed', texts: ['SignIn:OurFault', 'SignIn:OurFaultHelp'] }, 500)
  }

  /** A form that is too large, or was cut off. */
  showUnreadable(ctx: Context, status: number): void {
    this.showFault(ctx, { title: 'SignIn:Unreadable', texts: ['SignIn:UnreadableHelp'] }, status)
  }

  /** Too many wrong passwords. The page is the same whether there is such a user. */
  showLockedOut(ctx: Context, until: Date, actions: readonly NoticeAction[]): void {
    const minutes = Math.max(1, Math.ceil((until.getTime() - this.clock.nowMs) / 60_000))
    const key = minutes === 1 ? 'SignIn:LockedOutForAMinute' : 'SignIn:LockedOut'
    const texts = [{ key, data: { minutes } }, 'SignIn:LockedOutHelp']
    this.show(ctx, { title: 'SignIn:LockedOutTitle', texts, actions }, 400)
  }
}
