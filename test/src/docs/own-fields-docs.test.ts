import { readFileSync } from 'node:fs'
import { ApiHost } from '@keel/api-host'
import { type Constructor, KeelModule, Module } from '@keel/framework'
import {
  fieldsOf,
  OwnFieldOptions,
  ownField,
  ownFieldsOf,
  ownFieldTypes,
  PermissionGroup,
} from '@keel/framework/contracts'
import { applyOwnFieldIndexes } from '@keel/framework/data'
import { ShipmentPermissions } from '@keel/hub/contracts'
import { IdentityUserPermissions } from '@keel/identity/contracts'
import ts from 'typescript'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { hubOf } from '../support/hub-rows.js'
import { csvOf, imported } from '../support/imports.js'
import { send } from '../support/wire.js'

const page = readFileSync(new URL('../../../docs/own-fields.md', import.meta.url), 'utf8')

/** The code of the page of this kind. */
function codeOf(kind: string): string {
  const [found, ...others] = [...page.matchAll(new RegExp(`^\`\`\`${kind}\n(.*?)\`\`\``, 'gms'))]
  expect([kind, others.length]).toEqual([kind, 0])
  return found?.[1] ?? ''
}

/** The values of a configuration by their paths. */
function settingsIn(value: unknown, path = ''): [string, string][] {
  if (typeof value !== 'object' || value === null) return [[path, String(value)]]
  return Object.entries(value).flatMap(([key, member]) => settingsIn(member, path ? `${path}:${key}` : key))
}

/** The module that the page declares. */
function declaredModule(): Constructor<KeelModule> {
  const { outputText } = ts.transpileModule(codeOf('ts'), {
    compilerOptions: {
      experimentalDecorators: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.CommonJS,
    },
  })
  const names = { Module, KeelModule, ownField, PermissionGroup }
  const exported: Record<string, Constructor<KeelModule>> = {}
  new Function('exports', ...Object.keys(names), outputText)(exported, ...Object.values(names))
  return exported.FreightModule as Constructor<KeelModule>
}

@Module({ dependsOn: [ApiHost, declaredModule()] })
class FreightHost extends KeelModule {}

let app: App
let caller: AppCaller
beforeAll(async () => {
  const settings = Object.fromEntries(settingsIn(JSON.parse(codeOf('json'))))
  app = await startApp(FreightHost, { ...settings, 'Jobs:PollMs': '100' })
  caller = await app.as({
    permissions: [
      ...[ShipmentPermissions.View, ShipmentPermissions.Create, ShipmentPermissions.Edit],
      ...['Organization.AccessAll', IdentityUserPermissions.Default],
      ...[IdentityUserPermissions.Create, IdentityUserPermissions.ManageRoles],
    ],
  })
})
afterAll(() => app?.close())

test('the requests of the page are answered as it says', async () => {
  const requests = codeOf('http')
    .trim()
    .split('\n\n')
    .map((text) => text.split('\n'))
  expect(requests.length).toBeGreaterThan(7)
  for (const [line = '', second = ''] of requests) {
    const [, method = '', path = ''] = /^(\w+) (.+)$/.exec(line) ?? []
    const isAnswer = second.startsWith('→ ')
    const { status, body } = await send(caller, method, encodeURI(path), isAnswer ? undefined : second)
    if (!isAnswer) {
      const { extraProperties } = JSON.parse(second) as { extraProperties: object }
      const set = Object.keys(body.extraProperties ?? {}).sort()
      expect([line, status, set]).toEqual([line, 200, Object.keys(extraProperties).sort()])
      continue
    }
    const rows = (body.items ?? body.value ?? []) as Record<string, string>[]
    const names = rows.map((row) => row.shipmentReference ?? row.ShipmentReference ?? row.UserName)
    const told = body.error ? `${status} ${body.error.message}` : names.join(', ')
    expect([line, `→ ${told}`]).toEqual([line, second])
  }
})

test('files have the columns that the page tells of, by label and by name', async () => {
  const headers = ['Kostenstelle', 'Priority', 'extraProperties.Haulier']
  const file = csvOf(['shipmentReference', ...headers].join(','), 'DOC-3,C1,urgent,Swift')
  expect((await imported(caller, 'shipment', file, { culture: 'de' })).faults).toEqual([])
  const exported = await caller.fetch('/api/hub/shipment/as-csv-file?Filter=DOC-3', {
    headers: { 'accept-language': 'de' },
  })
  const lines = (await exported.text()).trim().split('\r\n')
  expect(lines.map((line) => line.split(',').slice(-3))).toEqual([
    ['Fuhrunternehmer', 'Kostenstelle', 'Priority'],
    ['Swift', 'C1', 'Urgent'],
  ])
})

test('the index of the page is built by its name', async () => {
  const { built } = await applyOwnFieldIndexes(app.host.application, hubOf(app))
  expect(built.map((name) => name.replace(/_[0-9a-f]{8}$/, '_…'))).toEqual([/`(OWN_\w+_…)`/.exec(page)?.[1]])
})

test('the page names every entity that can have own fields, every option and every type', () => {
  const { localServices } = app.host.application
  const entities = localServices.flatMap(({ contract }) =>
    [...contract.contract.operations.values()].flatMap(({ parameters }) =>
      parameters.flatMap(({ dto }) =>
        dto ? fieldsOf(dto).flatMap(([, schema]) => ownFieldsOf(schema) ?? []) : [],
      ),
    ),
  )
  const [, listed = ''] = /Entities with own fields: (.*?)\. An entity/s.exec(page) ?? []
  const codesIn = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
  expect(codesIn(listed).sort()).toEqual([...new Set(entities)].sort())
  const rows = [...page.matchAll(/^\| (`\w+`(?:, `\w+`)*) \|(.*?)\| (.*) \|$/gm)].map(
    ([, options = '', , meaning = '']) => [codesIn(options), meaning] as const,
  )
  expect(rows.flatMap(([options]) => options).sort()).toEqual(Object.keys(OwnFieldOptions.shape).sort())
  expect(codesIn(rows.find(([[option]]) => option === 'type')?.[1] ?? '')).toEqual([...ownFieldTypes])
  const usual = OwnFieldOptions.parse({ type: 'text' })
  expect([
    page.includes(`${usual.maxLength} when not given`),
    page.includes(`${usual.scale} when not given`),
  ]).toEqual([true, true])
})
