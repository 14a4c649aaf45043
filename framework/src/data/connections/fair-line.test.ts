import { expect, test } from 'vitest'
import { FairLine, type Places, type Turn } from './fair-line.js'

/** A line whose time passes when the test says so. */
function lineOf(places: Places, isBusyElsewhere?: (caller: string) => boolean) {
  let now = 0
  const line = new FairLine<string>(places, isBusyElsewhere, () => now)
  return {
    line,
    pass: (ms: number) => {
      now += ms
    },
    add: (caller: string, text: string, names: readonly string[]) => {
      for (const name of names) line.add(caller, text, name)
    },
    /** Begins as many as may begin. */
    beginAll(): Turn<string>[] {
      const begun: Turn<string>[] = []
      for (let turn = line.begin(); turn; turn = line.begin()) begun.push(turn)
      return begun
    },
    /** Lets a text be known by running it once. */
    learn(text: string, ms: number): void {
      line.add('teacher', text, text)
      const turn = line.begin() as Turn<string>
      now += ms
      line.end(turn)
    },
    /** Runs all that wait, one after the other, each for as long as its text says; answers in which order they ran. */
    runAll(times: Readonly<Record<string, number>>): string[] {
      const order: string[] = []
      for (let turn = line.begin(); turn; turn = line.begin()) {
        now += times[turn.text] ?? 0
        order.push(turn.work)
        line.end(turn)
      }
      return order
    },
  }
}

const names = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`)
const worksOf = (turns: readonly Turn<string>[]) => turns.map(({ work }) => work)

test('the first of one caller comes before the second of another who has a hundred waiting', () => {
  const { add, learn, runAll } = lineOf({ all: 1, slow: 1 })
  learn('quick', 10)
  add('eager', 'quick', names('e', 100))
  add('other', 'quick', ['o0', 'o1'])
  expect(runAll({ quick: 10 }).slice(0, 5)).toEqual(['e0', 'o0', 'e1', 'o1', 'e2'])
})

test('callers get the same time, not the same number of turns', () => {
  const { add, learn, runAll } = lineOf({ all: 1, slow: 1 })
  learn('long', 80)
  learn('short', 20)
  add('a', 'long', names('a', 10))
  add('b', 'short', names('b', 40))
  const order = runAll({ long: 80, short: 20 }).slice(0, 25)
  expect(order.filter((name) => name.startsWith('a'))).toHaveLength(5)
})

test('whoever was away comes back without a claim to the time that others used meanwhile', () => {
  const { add, learn, runAll } = lineOf({ all: 1, slow: 1 })
  learn('quick', 10)
  add('a', 'quick', names('a', 50))
  expect(runAll({ quick: 10 })).toHaveLength(50)
  add('a', 'quick', names('a', 4))
  add('b', 'quick', names('b', 4))
  expect(runAll({ quick: 10 })).toEqual(['a0', 'b0', 'a1', 'b1', 'a2', 'b2', 'a3', 'b3'])
})

test('a caller has one slow or unknown piece of work at a time, and their quick work goes past it', () => {
  const { add, beginAll, learn, line } = lineOf({ all: 6, slow: 2 })
  learn('quick', 10)
  learn('slow', 2000)
  add('a', 'slow', ['slow 1', 'slow 2'])
  add('a', 'unknown', ['unknown 1'])
  add('a', 'quick', ['quick 1', 'quick 2'])
  const begun = beginAll()
  expect(worksOf(begun)).toEqual(['slow 1', 'quick 1', 'quick 2'])
  line.end(begun[0] as Turn<string>)
  expect(worksOf(beginAll())).toEqual(['slow 2'])
})

test('what a caller has under way in another line counts, except for their quick work', () => {
  const databases: ReturnType<typeof lineOf>[] = []
  const busyIn = (other: number) => (caller: string) => databases[other]?.line.isBusy(caller) ?? false
  databases.push(lineOf({ all: 6, slow: 2 }, busyIn(1)), lineOf({ all: 6, slow: 2 }, busyIn(0)))
  const [one, two] = databases as [ReturnType<typeof lineOf>, ReturnType<typeof lineOf>]
  two.learn('quick', 10)
  one.add('a', 'new in one', ['a1'])
  const [running] = one.beginAll()
  two.add('a', 'new in two', ['a2'])
  two.add('a', 'quick', ['a3'])
  two.add('b', 'new of b', ['b1'])
  expect(worksOf(two.beginAll()).sort()).toEqual(['a3', 'b1'])
  one.line.end(running as Turn<string>)
  expect(worksOf(two.beginAll())).toEqual(['a2'])
})

test('slow work has its own few places, and one place is left for what is quick whatever comes', () => {
  const { add, beginAll, learn } = lineOf({ all: 4, slow: 2 })
  learn('quick', 10)
  learn('slow', 2000)
  for (const caller of names('slow caller ', 3)) add(caller, 'slow', [caller])
  for (const caller of names('new caller ', 3)) add(caller, `of ${caller}`, [caller])
  expect(worksOf(beginAll())).toEqual(['slow caller 0', 'slow caller 1', 'new caller 0'])
  add('other', 'quick', ['quick 1'])
  expect(worksOf(beginAll())).toEqual(['quick 1'])
})

test('work that turns out to be slow counts as slow while it still runs', () => {
  const { add, beginAll, learn, pass } = lineOf({ all: 6, slow: 2 })
  learn('usually quick', 10)
  learn('slow', 2000)
  add('a', 'usually quick', ['a1', 'a2'])
  expect(worksOf(beginAll())).toEqual(['a1', 'a2'])
  pass(150)
  add('a', 'new', ['a3'])
  add('b', 'slow', ['b1'])
  expect(worksOf(beginAll())).toEqual([])
})

test('a text that was slow is quick again after it has been for a while', () => {
  const { add, beginAll, learn, line } = lineOf({ all: 6, slow: 2 })
  learn('sometimes slow', 500)
  add('a', 'sometimes slow', ['a1', 'a2'])
  const [first] = beginAll()
  line.end(first as Turn<string>)
  for (const _ of names('', 10)) {
    const [turn] = beginAll()
    if (turn) line.end(turn)
    else learn('sometimes slow', 5)
  }
  add('a', 'sometimes slow', ['a3', 'a4'])
  expect(worksOf(beginAll())).toEqual(['a3', 'a4'])
})

test('who waited for too long is given up, and leaves nothing behind', () => {
  const { add, beginAll, line, pass } = lineOf({ all: 1, slow: 1 })
  add('a', 'new', ['a1', 'a2'])
  const [running] = beginAll()
  pass(1000)
  add('b', 'new', ['b1'])
  expect(worksOf(line.giveUp(500))).toEqual(['a2'])
  expect(line.waitingCount).toBe(1)
  line.end(running as Turn<string>)
  expect(worksOf(beginAll())).toEqual(['b1'])
})

test('one more has room when another caller has more waiting: the last of theirs goes', () => {
  const { add, line, beginAll } = lineOf({ all: 0, slow: 0 })
  add('eager', 'text', names('e', 3))
  add('other', 'text', ['o0'])
  expect(line.makeRoomFor('eager')).toBeUndefined()
  expect(line.makeRoomFor('other')?.work).toBe('e2')
  expect(line.makeRoomFor('new')?.work).toBe('e1')
  expect(line.makeRoomFor('other')).toBeUndefined()
  expect([line.waitingCount, beginAll()]).toEqual([2, []])
})
