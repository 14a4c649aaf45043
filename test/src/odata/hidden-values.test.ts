import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp } from '../support/app.js'
import { sizeOf } from '../support/size.js'
import { send } from '../support/wire.js'
import { type Abilities, type Attack, Attacker, type HiddenWorld, makeHiddenWorld } from './hidden-values.js'

/** How many requests are sent to each of the two worlds. */
const size = sizeOf(600, 10_000)

let app: App
let world: HiddenWorld

beforeAll(async () => {
  // Stacks and correlation ids are different for every request.
  app = await startApp(undefined, { 'App:SendExceptionDetails': 'false' })
  world = await makeHiddenWorld(app)
})
afterAll(() => app.close())

async function abilities(): Promise<Abilities> {
  const { body } = await send(world.attacker, 'GET', '/odata/$metadata?$format=json')
  const [namespace] = (body.$EntityContainer as string).split('.')
  const annotations = body[namespace ?? ''].Container
  return {
    functions: annotations['@Org.OData.Capabilities.V1.FilterFunctions'],
    transformations: annotations['@Org.OData.Aggregation.V1.ApplySupportedDefaults'].Transformations,
  }
}

/** Numbers from 0 to 1 that look like random ones; the same for the same seed. */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Status and body of the answer to each attack. */
async function answers(attacks: readonly Attack[]): Promise<readonly string[]> {
  const found: string[] = []
  let next = 0
  const work = async () => {
    for (let index = next++; index < attacks.length; index = next++) {
      const { url, headers = {} } = attacks[index] as Attack
      const answer = await world.attacker.fetch(url, { headers })
      found[index] = `${answer.status} ${await answer.text()}`
    }
  }
  await Promise.all([work(), work()])
  return found
}

test(
  'no request is answered differently because a hidden row has other values',
  async () => {
    const known = await abilities()
    const attacker = new Attacker(known, randomNumbers(20_261_123))
    const attacks = Array.from({ length: size }, () => attacker.next())
    const before = await answers(attacks)
    await world.be(1)
    const after = await answers(attacks)
    await world.be(0)
    const told = attacks.flatMap(({ url }, index) =>
      before[index] === after[index] ? [] : [[decodeURIComponent(url), before[index], after[index]]],
    )
    expect(told.slice(0, 20)).toEqual([])
    // What is refused because it is wrong attacks nothing.
    const answered = attacks.filter((_, index) => before[index]?.startsWith('200'))
    expect(answered.length).toBeGreaterThan(size / 3)
    const used = new Set(answered.flatMap(({ uses }) => uses))
    expect([...known.functions, ...known.transformations].filter((name) => !used.has(name))).toEqual([])
  },
  60_000 + size * 100,
)
