import { createHash } from 'node:crypto'
import { AutoApiController } from '@keel/framework'
import { BlobStore } from '@keel/framework/blobs'
import {
  BusinessError,
  EntityNotFoundError,
  type FileContent,
  faultOf,
  ValidationError,
} from '@keel/framework/contracts'
import { AllowAnonymous, Authenticated } from '@keel/framework/security'
import { UserDirectory, UserTokens } from '@keel/identity/contracts'
import {
  AccountErrors,
  ProfilePictureAppService,
  type ProfilePictureInput,
  ProfilePictureSourceDto,
  ProfilePictureType,
  profilePictureBytes,
} from '../contracts/index.js'
import { imageTypeOf } from '../domain/image-type.js'
import { profilePictureOf } from '../domain/profile-picture.js'
import { CurrentAccount } from './current-account.js'

/**
 * The tokens of a user that hold the chosen picture: the name of the type, and that of an image's media type.
 */
const keyOf = (userId: string) => ({ userId, loginProvider: '[Keel]', name: 'ProfilePicture' })

/** Pictures of users, in the blob store. */
@AutoApiController(ProfilePictureAppService)
@Authenticated()
export class ProfilePictureService implements ProfilePictureAppService {
  constructor(
    private readonly current: CurrentAccount,
    private readonly users: UserDirectory,
    private readonly choices: UserTokens,
    private readonly blobs: BlobStore,
  ) {}

  async getProfilePicture(id: string): Promise<ProfilePictureSourceDto> {
    const user = await this.users.find(id)
    const [choice] = user ? await this.choiceOf(id) : []
    if (user && choice === 'Gravatar')
      return answer({ type: ProfilePictureType.Gravatar, source: gravatarOf(user.email) })
    const blob = choice === 'Image' ? await this.blobs.find(profilePictureOf(id)) : undefined
    if (!blob) return answer({ type: ProfilePictureType.None })
    const bytes = Buffer.from(await new Response(blob.stream()).arrayBuffer())
    return answer({ type: ProfilePictureType.Image, fileContent: bytes.toString('base64') })
  }

  /** For `img` elements, which send no token. */
  @AllowAnonymous()
  async getProfilePictureFile(id: string): Promise<FileContent> {
    const [choice, type = ''] = await this.choiceOf(id)
    const blob = choice === 'Image' ? await this.blobs.find(profilePictureOf(id)) : undefined
    if (!blob) throw new EntityNotFoundError('ProfilePicture', id)
    return {
      name: `${id}.${type.split('/')[1]}`,
      type,
      size: blob.size,
      lastModified: blob.lastModified,
      stream: () => blob.stream(),
    }
  }

  async setProfilePicture(
    type: keyof typeof ProfilePictureType | ProfilePictureType,
    { imageContent }: ProfilePictureInput,
  ): Promise<void> {
    const { id } = await this.current.user()
    const chosen = typeof type === 'number' ? type : ProfilePictureType[type]
    if (chosen !== ProfilePictureType.Image) {
      await this.choices.save(keyOf(id), ProfilePictureType[chosen])
      await this.blobs.delete(profilePictureOf(id))
      return
    }
    if (!imageContent) throw new ValidationError([faultOf('imageContent', 'Validation:Required')])
    const bytes = await readAtMost(imageContent, profilePictureBytes)
    const mediaType = bytes && imageTypeOf(bytes)
    if (!bytes || !mediaType)
      throw new BusinessError(AccountErrors.InvalidProfilePicture, {
        megabytes: profilePictureBytes / 1024 / 1024,
      })
    await this.blobs.save(profilePictureOf(id), new Blob([bytes]).stream())
    await this.choices.save(keyOf(id), `Image ${mediaType}`)
  }

  private async choiceOf(userId: string): Promise<string[]> {
    return (await this.choices.find(keyOf(userId)))?.split(' ') ?? []
  }
}

function answer({
  type,
  source = null,
  fileContent = null,
}: {
  type: ProfilePictureType
  source?: string | null
  fileContent?: string | null
}): ProfilePictureSourceDto {
  return new ProfilePictureSourceDto({ type, source, fileContent })
}

function gravatarOf(email: string): string {
  const hash = createHash('md5').update(email.trim().toLowerCase()).digest('hex')
  return `https://secure.gravatar.com/avatar/${hash}`
}

/** All of a file; undefined when it is larger. */
async function readAtMost(content: FileContent, most: number): Promise<Buffer<ArrayBuffer> | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of content.stream() as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > most) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
