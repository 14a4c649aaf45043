import '@angular/compiler'
import { provideHttpClient } from '@angular/common/http'
import { provideZonelessChangeDetection } from '@angular/core'
import { createApplication } from '@angular/platform-browser'
import { OAuthService, provideOAuthClient } from 'angular-oauth2-oidc'

/** What a page of ABP's Angular UI does with angular-oauth2-oidc, as functions of the page that a test calls. */
const page = globalThis as unknown as { authority: string; location: { origin: string } } & Record<
  string,
  () => Promise<unknown>
>
const { authority, location } = page

const service: Promise<OAuthService> = createApplication({
  providers: [provideHttpClient(), provideOAuthClient(), provideZonelessChangeDetection()],
}).then(async ({ injector }) => {
  const oauth = injector.get(OAuthService)
  oauth.configure({
    issuer: authority,
    clientId: 'spa',
    redirectUri: `${location.origin}/`,
    postLogoutRedirectUri: `${location.origin}/`,
    responseType: 'code',
    scope: 'openid offline_access profile email Core',
    requireHttps: false,
    strictDiscoveryDocumentValidation: true,
  })
  await oauth.loadDiscoveryDocument()
  return oauth
})

page.signIn = async () => (await service).initCodeFlow()
page.finish = async () => {
  const oauth = await service
  await oauth.tryLoginCodeFlow()
  return oauth.hasValidAccessToken() && oauth.hasValidIdToken() ? oauth.getIdentityClaims() : undefined
}
page.profile = async () => (await service).loadUserProfile()
page.refresh = async () => {
  const oauth = await service
  const before = oauth.getAccessToken()
  await oauth.refreshToken()
  return oauth.getAccessToken() === before ? 'the same access token' : 'another access token'
}
page.signOut = async () => (await service).revokeTokenAndLogout()
page.byPassword = async () => {
  const oauth = await service
  // As ABP's templates configure it: an identity token would have to carry a nonce.
  oauth.scope = 'offline_access Core'
  await oauth.fetchTokenUsingPasswordFlow('operator', '1q2w3E*')
  return oauth.hasValidAccessToken()
}
