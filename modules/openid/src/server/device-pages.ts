import { Injectable } from '@keel/framework'
import type { Client, KoaContextWithOIDC } from 'oidc-provider'
import { Pages } from './pages.js'

/** Where oidc-provider's own middleware says what was wrong with a code. */
type CodeFault = Error & { readonly userCode?: string }

/** The pages on which somebody lets a device in (RFC 8628): they type the code that it shows, and confirm. */
@Injectable()
export class DevicePages {
  constructor(private readonly pages: Pages) {}

  /** Asks for the code; again, and why, after one that did not do. */
  askCode(ctx: KoaContextWithOIDC, fault?: CodeFault): void {
    this.pages.show(
      ctx,
      'device-code',
      {
        ...formOf(ctx),
        userCode: fault?.userCode ?? presetCode(ctx),
        error: fault && { key: textOf(fault) },
      },
      fault ? 400 : 200,
    )
  }

  /** Shows who is about to be let in: whoever was sent a link by a stranger must see that it is not their device. */
  confirm(ctx: KoaContextWithOIDC, client: Client, userCode: string): void {
    this.pages.show(ctx, 'device-confirm', {
      ...formOf(ctx),
      clientName: client.clientName ?? client.clientId,
      userCode,
    })
  }

  showDone(ctx: KoaContextWithOIDC): void {
    this.pages.show(ctx, 'message', { title: 'Device:Done', text: 'Device:GoBack' })
  }
}

/** The code of a link that a device shows (`verification_uri_complete`); it is typed in already, but still has to be confirmed. */
function presetCode(ctx: KoaContextWithOIDC): string {
  const { userCode } = ctx.state
  return typeof userCode === 'string' ? userCode.slice(0, 32) : ''
}

function formOf(ctx: KoaContextWithOIDC): { action: string; token: string } {
  const { secret = '' } = (ctx.oidc.session?.state ?? {}) as { secret?: string }
  return { action: ctx.oidc.urlFor('code_verification'), token: secret }
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
