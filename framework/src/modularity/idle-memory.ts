import { Session } from 'node:inspector'
import type { Logger } from './logging.js'

/** How often a look is taken. */
const roundMs = 1000
/** In an idle round the process took less of a processor. */
const idleShare = 0.03
/** So many idle rounds in a row are wanted after the start, and later. */
const roundsAfterStart = 2
const roundsLater = 30
/** What the heap must have grown by since it was last tidied; a collection is not worth less. */
const worthwhileBytes = 32 * 1024 * 1024

/**
 * Gives memory back to the system while the process has nothing to do: what only the start needed, and what a busy time left behind. V8 collects when
 * it needs room, and never because nothing happens; its young generation stays as large as it has ever been. A collection holds the process up for
 * 0.2 to 0.6 seconds, so it waits until two seconds passed without work after the start, and later for half a minute and a heap that grew.
 */
export function returnIdleMemory(logger: Logger): void {
  let idleRounds = 0
  let wantedRounds = roundsAfterStart
  let tidyBytes = 0
  let before = process.cpuUsage()
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(before)
    before = process.cpuUsage()
    idleRounds = (user + system) / 1000 < idleShare * roundMs ? idleRounds + 1 : 0
    if (idleRounds < wantedRounds || heapBytes() < tidyBytes + worthwhileBytes) return
    idleRounds = 0
    wantedRounds = roundsLater
    const found = process.memoryUsage.rss()
    collect(() => {
      tidyBytes = heapBytes()
      logger.debug({ fromMb: inMb(found), toMb: inMb(process.memoryUsage.rss()) }, 'idle memory returned')
    })
  }, roundMs)
  timer.unref()
}

function heapBytes(): number {
  return process.memoryUsage().heapTotal
}

function inMb(bytes: number): number {
  return Math.round(bytes / 1024 / 1024)
}

/** What a debugger’s button for it does. `gc()`, which a flag would offer, collects too, but lets V8 keep the pages. */
function collect(done: () => void): void {
  const session = new Session()
  session.connect()
  session.post('HeapProfiler.collectGarbage', () => {
    // Not at once: V8 is in the middle of answering this session, and would wait for ever.
    setImmediate(() => {
      session.disconnect()
      done()
    })
  })
}
