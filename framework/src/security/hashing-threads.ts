import { pbkdf2 } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'

/** One derivation of a key from a password, PBKDF2. */
export interface Derivation {
  readonly password: string
  readonly salt: Uint8Array
  readonly iterations: number
  readonly keyBytes: number
  readonly digest: string
}

/** Fewer than these take a millisecond or two: not worth a thread of their own. */
const fewIterations = 5000
/** Each takes about 5 MB. */
const maxThreads = Math.min(availableParallelism(), 4)
/** Nobody needs this much to hash a password; what Node reserves by default is far more. */
const resourceLimits = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 }

/**
 * The program of a thread, as text: it is the same for sources and for what is compiled of them. Its priority
 * is lowered where threads have one of their own, on Linux: whenever the event loop, the database or anybody
 * else has work to do, the kernel lets them go first.
 */
const program = `
const { pbkdf2Sync } = require('node:crypto')
const { readlinkSync } = require('node:fs')
const { setPriority } = require('node:os')
const { parentPort } = require('node:worker_threads')
if (process.platform === 'linux') {
  try {
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').pop()), 19)
  } catch {}
}
parentPort.on('message', ({ password, salt, iterations, keyBytes, digest }) => {
  parentPort.postMessage(pbkdf2Sync(password, salt, iterations, keyBytes, digest))
})`

interface Task {
  readonly derivation: Derivation
  readonly resolve: (key: Buffer) => void
  readonly reject: (error: unknown) => void
}

const idle: Worker[] = []
const waiting: Task[] = []
let threads = 0

/**
 * Derives a key in a thread that stands back for everybody else, and leaves libuv's threads to files, names
 * and compression. Threads start when they are needed, up to one for each core and four; they never keep the
 * process alive when nobody waits for them.
 */
export function derive(derivation: Derivation): Promise<Buffer> {
  if (derivation.iterations < fewIterations) return deriveInPool(derivation)
  return new Promise((resolve, reject) => {
    const task = { derivation, resolve, reject }
    const thread = idle.pop() ?? (threads < maxThreads ? start() : undefined)
    if (thread) run(thread, task)
    else waiting.push(task)
  })
}

function start(): Worker {
  threads += 1
  const thread = new Worker(program, { eval: true, name: 'hashing', resourceLimits })
  // Its end follows, which is looked at below.
  thread.on('error', () => undefined)
  thread.once('exit', () => {
    threads -= 1
    const index = idle.indexOf(thread)
    if (index >= 0) idle.splice(index, 1)
  })
  return thread
}

function run(thread: Worker, { derivation, resolve, reject }: Task): void {
  const answered = (key: Uint8Array): void => {
    thread.off('exit', ended)
    const next = waiting.shift()
    if (next) run(thread, next)
    else rest(thread)
    resolve(Buffer.from(key))
  }
  // The answer is still owed, and those to whom the thread would have come next.
  const ended = (): void => {
    deriveInPool(derivation).then(resolve, reject)
    const next = waiting.shift()
    if (next) derive(next.derivation).then(next.resolve, next.reject)
  }
  thread.once('message', answered)
  thread.once('exit', ended)
  thread.ref()
  thread.postMessage(derivation)
}

function rest(thread: Worker): void {
  thread.unref()
  idle.push(thread)
}

const pbkdf2InPool = promisify(pbkdf2)

function deriveInPool({ password, salt, iterations, keyBytes, digest }: Derivation): Promise<Buffer> {
  return pbkdf2InPool(password, salt, iterations, keyBytes, digest)
}
