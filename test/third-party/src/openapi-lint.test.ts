import { createConfig, lintFromString } from '@redocly/openapi-core'
import { type RulesetDefinition, Spectral } from '@stoplight/spectral-core'
import { oas } from '@stoplight/spectral-rulesets'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp } from '../../src/support/app.js'

let app: App
let text: string
beforeAll(async () => {
  app = await startApp()
  text = await (await app.host.fetch('/swagger/v1/swagger.json')).text()
})
afterAll(() => app.close())

test('the OpenAPI document keeps Redocly’s recommended rules', async () => {
  // ABP's routes are as they are: `/users/by-email/{email}` beside `/users/{id}/roles`.
  const config = await createConfig({ extends: ['recommended'], rules: { 'no-ambiguous-paths': 'off' } })
  const problems = await lintFromString({ source: text, absoluteRef: 'openapi.json', config })
  // ABP's own: what stands behind `by-email/` is no operation on a user called so, because ids are GUIDs.
  const isOfAbp = (message: string) => message.includes('`/api/identity/users/by-email/{email}`')
  const ours = problems.filter(({ message }) => !isOfAbp(message))
  expect(
    ours.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`),
  ).toEqual([])
})

test('the OpenAPI document keeps Spectral’s recommended rules', async () => {
  const spectral = new Spectral()
  spectral.setRuleset({ extends: [[oas, 'recommended']] } as RulesetDefinition)
  const problems = await spectral.run(JSON.parse(text))
  expect(problems.map(({ code, message, path }) => `${code}: ${message} ${path.join('/')}`)).toEqual([])
}, 300_000)
