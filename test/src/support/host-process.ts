import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { programIn } from '@keel/framework'

/** A host as a process of its own. */
export interface HostProcess {
  readonly child: ChildProcess
  /** Where it listens, once it says so. */
  readonly url: Promise<string>
  /** Its exit code, once it ended. */
  readonly exitCode: Promise<number | null>
  /** Everything it has said until now, on stdout and stderr. */
  said(): string
}

/** Starts the built API host with nothing but these settings in its environment, on a free port unless they name one. */
export function startApiProcess(env: Readonly<Record<string, string>>): HostProcess {
  return startProcess('api', env)
}

/** Starts the built auth server, in the same way. */
export function startAuthProcess(env: Readonly<Record<string, string>>): HostProcess {
  return startProcess('auth', env)
}

/** Starts the built API host with an operation that adds a job and publishes an event (`working-host.ts`). */
export function startWorkingProcess(env: Readonly<Record<string, string>>): HostProcess {
  return startProgram(fileURLToPath(new URL('../../dist/src/support/working-host.js', import.meta.url)), env)
}

const startProcess = (host: 'api' | 'auth', env: Readonly<Record<string, string>>): HostProcess =>
  startProgram(programIn(fileURLToPath(new URL(`../../../hosts/${host}`, import.meta.url))), env)

function startProgram(program: string, env: Readonly<Record<string, string>>): HostProcess {
  const child = spawn(process.execPath, [program], {
    env: { KEEL_ENVIRONMENT: 'Development', PORT: '0', RateLimits__AnonymousPermitsPerMinute: '0', ...env },
  })
  let said = ''
  const exitCode = new Promise<number | null>((resolve) => child.on('close', resolve))
  const url = new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (text) => {
        said += text
        const [, found] = /"url":"([^"]+)","msg":"listening"/.exec(said) ?? []
        if (found) resolve(found)
      })
    }
    void exitCode.then((code) => reject(new Error(`The host ended with ${code}:\n${said}`)))
  })
  // Who waits for the end alone does not care that it never listened.
  url.catch(() => undefined)
  return { child, url, exitCode, said: () => said }
}
