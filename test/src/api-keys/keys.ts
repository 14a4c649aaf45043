import { ApiKeyAppService, type ApiKeyWithSecretDto, type CreateApiKeyDto } from '@keel/api-keys/contracts'
import type { TestHost } from '@keel/framework/testing'
import type { AppCaller } from '../support/app.js'
import type { Sender } from '../support/wire.js'

/** What a plain user reads in these tests. */
export const ports = '/api/hub/port?maxResultCount=1'

/** A new key of a caller's own. */
export function newKey(
  caller: AppCaller,
  values: Partial<CreateApiKeyDto> = {},
): Promise<ApiKeyWithSecretDto> {
  return caller.service(ApiKeyAppService).create({ name: 'Test', ...values })
}

/** Somebody who sends a key. */
export function withKey(host: Pick<TestHost, 'fetch'>, key: string, header = 'x-api-key'): Sender {
  return {
    fetch: (path, init = {}) => host.fetch(path, { ...init, headers: { ...init.headers, [header]: key } }),
  }
}
