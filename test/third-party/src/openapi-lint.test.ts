import { createConfig, lintFromString } from '@redocly/openapi-core'
import { type RulesetDefinition, Spectral } from '@stoplight/spectral-core'
import { oas } from '@stoplight/spectral-rulesets'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp } from '../../src/support/app.js'
import { isLong } from '../../src/support/size.js'

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
  const problems = await spectral.run(isLong ? JSON.parse(text) : sampleOf(JSON.parse(text)))
  expect(problems.map(({ code, message, path }) => `${code}: ${message} ${path.join('/')}`)).toEqual([])
}, 900_000)

interface Document {
  readonly paths: Readonly<Record<string, unknown>>
  readonly tags: readonly { readonly name: string }[]
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** Every 24th path with all that it refers to: one program writes them all, and these rules take minutes for the whole document. */
function sampleOf(document: Document): Document {
  const paths = Object.fromEntries(Object.entries(document.paths).filter((_, index) => index % 24 === 0))
  const schemas = document.components.schemas ?? {}
  const reached = new Set<string>()
  const visit = (text: string) => {
    for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (reached.has(name)) continue
      reached.add(name)
      visit(JSON.stringify(schemas[name]))
    }
  }
  const { schemas: _, ...others } = document.components
  visit(JSON.stringify([paths, others]))
  const used = JSON.stringify(paths)
  return {
    ...document,
    paths,
    tags: document.tags.filter(({ name }) => used.includes(JSON.stringify(name))),
    components: {
      ...document.components,
      schemas: Object.fromEntries(Object.entries(schemas).filter(([name]) => reached.has(name))),
    },
  }
}
