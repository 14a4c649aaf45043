import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp } from '../support/app.js'
import { sizeOf } from '../support/size.js'
import {
  Attacker,
  abilitiesOf,
  answersTo,
  type HiddenWorld,
  makeHiddenWorld,
  randomNumbers,
} from './hidden-values.js'

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

test(
  'no request is answered differently because a hidden row has other values',
  async () => {
    const known = await abilitiesOf(world.attacker)
    const attacker = new Attacker(known, randomNumbers(20_261_123))
    const attacks = Array.from({ length: size }, () => attacker.next())
    const before = await answersTo(world.attacker, attacks)
    await world.be(1)
    const after = await answersTo(world.attacker, attacks)
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
