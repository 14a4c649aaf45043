import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { type Declaration, declarationsOf } from './documented-code.js'

const source = `
import { AppService, crud, Dto, op, z } from '@keel/framework/contracts'
/** How far it is. */
export enum Stage {
  /** Not begun. */
  Draft = 0,
  Done = 1,
}
/** How it travels. */
export enum Mode {
  /** By ship. */
  Sea = 'sea',
}
// Not a comment of TSDoc: '
const pattern = /^["'\`{(]\\/$/
const path = \`/api/\${[pattern].map((one) => \`{\${one}}\`).join('/')}\`
const limits = { most: 1000 } as const
const fields = {
  /** Unique. */
  code: z.string().regex(/^[A-Z]{2}$/, 'two letters: "{NL"'),
  name: z.object({ /** Not a member of its own. */ first: z.string() }),
}
/** Of the caller. */
const owner = z.string()
/** What it is made with. @example {"code":"NL"} */
@Marked({ of: 'it' })
export class ThingInput extends Dto({
  ...fields,
  ...InputOf(OtherDto, 'x').shape,
  owner,
  /** Kilograms. */ weight: z.number(), 'quoted-one': z.string(),
}) {}
/** Things. */
export abstract class ThingAppService extends AppService(Hub, 'ThingAppService', {
  ...crud(ThingDto, ThingInput),
  /** Counts things. */
  count: op().returns(z.int()),
  bare: op(),
}) {}
/** A page. */
export function pageOf(dto) {
  const rows = { hidden: 1 }
  return once('Page', dto, () => Dto({ /** All of them. */ totalCount: z.int(), rows }))
}
`

/** A declaration as a test compares it: summaries alone. */
function plain({ name, doc, members, uses }: Declaration) {
  return {
    name,
    doc: doc?.summary,
    members: Object.fromEntries([...members].map(([member, text]) => [member, text?.summary])),
    uses: uses.filter((used) => !/^(Dto|AppService|op|z|Hub|once|InputOf)$/.test(used)),
  }
}

const compiled = ts.transpileModule(source, {
  compilerOptions: {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    experimentalDecorators: true,
  },
}).outputText

describe.for([
  ['TypeScript', source],
  ['what was compiled from it', compiled],
] as const)('of a program in %s', ([, program]) => {
  const found = new Map(declarationsOf(program).map((one) => [one.name, plain(one)]))

  test('enumerations are read with their members', () => {
    expect([found.get('Stage'), found.get('Mode')]).toEqual([
      { name: 'Stage', doc: 'How far it is', members: { Draft: 'Not begun', Done: undefined }, uses: [] },
      { name: 'Mode', doc: 'How it travels', members: { Sea: 'By ship' }, uses: [] },
    ])
  })

  test('a DTO is read with its members and what they come from', () => {
    expect(found.get('ThingInput')).toEqual({
      name: 'ThingInput',
      doc: 'What it is made with',
      members: { owner: undefined, weight: 'Kilograms', 'quoted-one': undefined },
      uses: ['fields', 'OtherDto', '.owner'],
    })
  })

  test('constants are read', () => {
    expect([found.get('fields')?.members, found.get('owner')?.doc]).toEqual([
      { code: 'Unique', name: undefined },
      'Of the caller',
    ])
  })

  test('a service is read with its operations', () => {
    expect(found.get('ThingAppService')).toEqual({
      name: 'ThingAppService',
      doc: 'Things',
      members: { count: 'Counts things', bare: undefined },
      uses: ['crud', 'ThingDto', 'ThingInput'],
    })
  })

  test('a function is read with what it returns', () => {
    expect(found.get('pageOf')).toMatchObject({
      doc: 'A page',
      members: { totalCount: 'All of them', rows: undefined },
    })
  })
})
