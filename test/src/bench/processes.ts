import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Every process that was started, to be stopped in the end. */
export const children: ChildProcess[] = []

/** Starts a host and waits until it is ready. */
export async function start(
  program: string,
  env: Record<string, string>,
  port: number,
): Promise<ChildProcess> {
  const child = spawn(process.execPath, [root + program], {
    env: { ...process.env, ...env, Log__Requests: 'false' },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  children.push(child)
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}`)
    const ready = await fetch(`http://localhost:${port}/health/ready`).catch(() => undefined)
    if (ready?.ok) return child
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** Runs a program to its end. */
export function runToEnd(
  program: string,
  programArgs: readonly string[],
  env: Record<string, string>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [root + program, ...programArgs], {
      env: { ...process.env, ...env, Log__Level: 'warn' },
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(`${program} ended with ${code}`))))
  })
}
