import { Readable } from 'node:stream'
import { AccountErrors, ProfilePictureAppService, profilePictureBytes } from '@keel/account/contracts'
import { Injectable } from '@keel/framework'
import { EntityNotFoundError, type FileContent } from '@keel/framework/contracts'
import type { BrowserAccount, SignedInPage, SignedInRequest } from '../pages/account-page.js'
import { BrowserSession } from '../pages/browser-session.js'
import { pagePaths } from '../requests/page-paths.js'

/** The file that the form for a picture may bring. */
export const pictureUpload: NonNullable<SignedInPage['upload']> = {
  field: 'picture',
  maxBytes: profilePictureBytes,
  tooLarge: {
    key: AccountErrors.InvalidProfilePicture,
    data: { megabytes: profilePictureBytes / 1024 / 1024 },
  },
}

/** The picture of the signed-in user, as the image that it is. */
@Injectable()
export class PicturePage implements SignedInPage {
  readonly path = pagePaths.picture
  readonly needsSignIn = true as const

  constructor(
    private readonly pictures: ProfilePictureAppService,
    private readonly session: BrowserSession,
  ) {}

  async show(request: SignedInRequest): Promise<void> {
    const { account } = request
    const { ctx } = request
    const picture = await this.of(account)
    if (!picture) {
      ctx.status = 404
      return
    }
    ctx.type = picture.type
    // A file may be valid as an image and as a page: no browser may run it as a page.
    ctx.set('x-content-type-options', 'nosniff')
    ctx.set('content-security-policy', "default-src 'none'; sandbox; frame-ancestors 'none'")
    ctx.set('cross-origin-resource-policy', 'same-origin')
    ctx.set('cache-control', 'no-store')
    if (picture.size !== undefined) ctx.length = picture.size
    ctx.body = Readable.fromWeb(picture.stream() as never)
  }

  /** The uploaded picture of an account; undefined without one. */
  of(account: BrowserAccount): Promise<FileContent | undefined> {
    return this.session
      .as(account, () => this.pictures.getProfilePictureFile(account.id))
      .catch((error: unknown) => {
        if (error instanceof EntityNotFoundError) return undefined
        throw error
      })
  }
}
