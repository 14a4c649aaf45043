import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { onTestFinished } from 'vitest'

/**
 * Watches what lives in the memory of this process, in which the server of the test is too, until the end tells how many megabytes were added
 * at most. Collecting garbage takes as long as the heap of all tests is large, so the pauses between samples grow with it.
 */
export function watchMemory(): { end(): number } {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const living = () => {
    collect()
    const { heapUsed, external } = process.memoryUsage()
    return (heapUsed + external) / 1_000_000
  }
  const before = living()
  let most = before
  let timer = setTimeout(sample, 100)
  function sample(): void {
    const began = performance.now()
    most = Math.max(most, living())
    timer = setTimeout(sample, 100 + 3 * (performance.now() - began))
  }
  const stop = () => clearTimeout(timer)
  onTestFinished(stop)
  return {
    end: () => {
      stop()
      return most - before
    },
  }
}
