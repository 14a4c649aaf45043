export { OpenIdServerModule } from './openid-server.module.js'
