import { Injectable } from '@keel/framework'
import type { Client, KoaContextWithOIDC } from 'oidc-provider'
import { Notices } from '../pages/notices.js'
import { Pages } from '../pages/pages.js'
import { noteGuess } from './device-code-limit.js'

/** The error in which oidc-provider's own middleware says what was wrong with a code. */
type CodeFault = Error & { readonly userCode?: string }

/** The pages on which a user admits a device (RFC 8628): they type the code that it shows, and confirm. */
@Injectable()
export class DevicePages {
  constructor(
    private readonly pages: Pages,
    private readonly notices: Notices,
  ) {}

  /** Asks for the code; again, and why, after one that did not do. */
  askCode(ctx: KoaContextWithOIDC, fault?: CodeFault): void {
    if (fault) noteGuess(ctx, fault)
    if (fault && isUnknownBrowser(ctx)) {
      startAnew(ctx)
      return
    }
    const data = {
      ...formOf(ctx),
      title: 'Device:Title',
      values: { user_code: fault?.userCode ?? presetCode(ctx) },
      faults: fault ? [{ field: 'user_code', text: this.pages.text(textOf(fault)) }] : [],
    }
    this.pages.show(ctx, 'device-code', data, fault ? 400 : 200)
  }

  /**
   * Shows the client that is about to be admitted: the victim of a stranger's link must see that it is not
   * their device.
   */
  confirm(ctx: KoaContextWithOIDC, client: Client, userCode: string): void {
    const clientName = client.clientName ?? client.clientId
    const data = { ...formOf(ctx), title: 'Device:Question', titleData: { clientName }, userCode }
    this.pages.show(ctx, 'device-confirm', data)
  }

  showDone(ctx: KoaContextWithOIDC): void {
    this.notices.show(ctx, { title: 'Device:Done', texts: ['Device:GoBack'] })
  }
}

/** True for a form from another browser than the one that it was shown in: its session is not stored. */
function isUnknownBrowser({ oidc: { session } }: KoaContextWithOIDC): boolean {
  return session !== undefined && typeof session.exp !== 'number'
}

/** Shows the form, with a session that is kept. */
function startAnew(ctx: KoaContextWithOIDC): void {
  // oidc-provider has put a secret for the form into the session, and would fail to store one that is not
  // stored yet.
  Object.assign(ctx.oidc.session ?? {}, { destroyed: true })
  ctx.redirect(ctx.oidc.urlFor('code_verification'))
  ctx.status = 303
}

/**
 * The code of a link that a device shows (`verification_uri_complete`); it is typed in already, but still has
 * to be confirmed.
 */
function presetCode(ctx: KoaContextWithOIDC): string {
  const { userCode } = ctx.state
  return typeof userCode === 'string' ? userCode.slice(0, 32) : ''
}

function formOf(ctx: KoaContextWithOIDC): { action: string; secret: string } {
  const { secret = '' } = (ctx.oidc.session?.state ?? {}) as { secret?: string }
  return { action: ctx.oidc.urlFor('code_verification'), secret }
}

function textOf({ name }: Error): string {
  switch (name) {
    case 'AbortedError':
      return 'Device:Refused'
    case 'ExpiredError':
      return 'Device:Expired'
    case 'AlreadyUsedError':
      return 'Device:Used'
    case 'NoCodeError':
    case 'NotFoundError':
      return 'Device:NoSuchCode'
    default:
      return 'Device:TooOld'
  }
}
