import { AccountErrors, ProfilePictureAppService, ProfilePictureType } from '@keel/account/contracts'
import { UserDirectory, type UserRecord } from '@keel/identity/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp } from '../support/app.js'
import { dotPicture } from '../support/dot-picture.js'

let app: App
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const newUser = (userName: string): Promise<UserRecord> =>
  app.host.get(UserDirectory).create({ userName, email: `${userName}@example.com`, password: 'Abc-Crane5' })
const pictures = async ({ id }: UserRecord) =>
  (await app.host.as({ subject: id })).service(ProfilePictureAppService)

const imageOf = (bytes: Uint8Array<ArrayBuffer>) => ({
  imageContent: new File([bytes], 'me.png', { type: 'image/png' }),
})

test('a picture that somebody uploads is shown to everybody, replaced and removed', async () => {
  const ada = await newUser('ada')
  const own = await pictures(ada)
  const none = { type: ProfilePictureType.None, source: null, fileContent: null }
  expect(await own.getProfilePicture(ada.id)).toEqual(none)
  await own.setProfilePicture(ProfilePictureType.Image, imageOf(dotPicture))
  expect(await (await pictures(await newUser('bob'))).getProfilePicture(ada.id)).toEqual({
    type: ProfilePictureType.Image,
    source: null,
    fileContent: dotPicture.toString('base64'),
  })
  const image = await app.host.fetch(`/api/account/profile-picture-file/${ada.id}`)
  expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/png'])
  expect(Buffer.from(await image.arrayBuffer())).toEqual(dotPicture)
  await own.setProfilePicture(ProfilePictureType.Gravatar, {})
  expect(await own.getProfilePicture(ada.id)).toEqual({
    type: ProfilePictureType.Gravatar,
    source: expect.stringMatching(/^https:\/\/secure\.gravatar\.com\/avatar\/[0-9a-f]{32}$/),
    fileContent: null,
  })
  expect((await app.host.fetch(`/api/account/profile-picture-file/${ada.id}`)).status).toBe(404)
  await own.setProfilePicture(ProfilePictureType.None, {})
  expect(await own.getProfilePicture(ada.id)).toEqual(none)
})

test('what is no image, or too large, is refused, and the picture of before stays', async () => {
  const cleo = await newUser('cleo')
  const own = await pictures(cleo)
  await own.setProfilePicture(ProfilePictureType.Image, imageOf(dotPicture))
  const refused = { code: AccountErrors.InvalidProfilePicture, status: 403 }
  const script = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')
  await expect(own.setProfilePicture(ProfilePictureType.Image, imageOf(script))).rejects.toMatchObject(
    refused,
  )
  const large = Buffer.concat([dotPicture, Buffer.alloc(2 * 1024 * 1024)])
  await expect(own.setProfilePicture(ProfilePictureType.Image, imageOf(large))).rejects.toMatchObject(refused)
  await expect(own.setProfilePicture(ProfilePictureType.Image, {})).rejects.toMatchObject({ status: 400 })
  expect((await own.getProfilePicture(cleo.id)).fileContent).toBe(dotPicture.toString('base64'))
})

test('a client that acts for nobody has no picture, and strangers set none', async () => {
  const client = (await app.host.as({ subject: 'tooling', clientId: 'tooling' })).service(
    ProfilePictureAppService,
  )
  await expect(client.setProfilePicture(ProfilePictureType.None, {})).rejects.toMatchObject({ status: 403 })
  const form = new FormData()
  form.set('imageContent', new File([dotPicture], 'me.png', { type: 'image/png' }))
  const path = '/api/account/profile-picture?type=2'
  expect((await app.host.fetch(path, { method: 'POST', body: form })).status).toBe(401)
})
