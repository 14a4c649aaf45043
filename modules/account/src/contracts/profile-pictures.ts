import { AppService, Dto, enumeration, file, id, op, param, z } from '@keel/framework/contracts'
import { AbpAccount } from './account.js'

/** The kinds of a user's picture. */
export enum ProfilePictureType {
  None = 0,
  Gravatar = 1,
  Image = 2,
}

const type = enumeration('ProfilePictureType', ProfilePictureType)

/** The media types for uploads. Drawings that can hold scripts are not among them. */
const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const

/** The most bytes that an uploaded picture may have. */
export const profilePictureBytes = 2 * 1024 * 1024

/** Somebody's picture. */
export class ProfilePictureSourceDto extends Dto({
  type,
  /** The address of a Gravatar. */
  source: z.string().nullable(),
  /** The uploaded image in base64. */
  fileContent: z.string().nullable(),
}) {}

/** A picture to be; only an uploaded one has content. */
export class ProfilePictureInput extends Dto({ imageContent: file(...imageTypes).nullish() }) {}

/** Pictures of users. */
export abstract class ProfilePictureAppService extends AppService(
  AbpAccount,
  'ProfilePictureAppService',
  {
    /** Gets a user's picture: an address or an image in base64. */
    getProfilePicture: op(id).returns(ProfilePictureSourceDto).at('GET', '/api/account/profile-picture/{id}'),
    /** Downloads a user's picture as an image. */
    getProfilePictureFile: op(id)
      .returns(file(...imageTypes))
      .at('GET', '/api/account/profile-picture-file/{id}'),
    /**
     * Sets the caller's picture.
     * @param type What kind of picture it is; only `Image` takes an upload.
     */
    setProfilePicture: op(param('type', type), ProfilePictureInput).at(
      'POST',
      '/api/account/profile-picture',
    ),
  },
  'Profile pictures',
) {}
