import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** The published packages of this repository, packed as they are compiled now, behind a registry that npm installs from. */
export interface PackageRegistry {
  /** Of the registry, for the scope `@keel`. */
  readonly url: string
  /** The file of a package. */
  tarballOf(name: string): string
  close(): Promise<void>
}

interface Packed {
  readonly name: string
  readonly version: string
  readonly filename: string
}

/** Packs the packages into a folder and serves them. */
export async function startPackageRegistry(folder: string): Promise<PackageRegistry> {
  const words = ['pack', '--workspaces', '--ignore-scripts', '--json', '--pack-destination', folder]
  const { stdout } = await promisify(execFile)('npm', words, { cwd: root, maxBuffer: 64 * 1024 * 1024 })
  const packed = JSON.parse(stdout) as readonly Packed[]
  const manifests = new Map<string, object>()
  for (const { name, filename } of packed) {
    const read = ['-xOf', join(folder, filename), 'package/package.json']
    manifests.set(name, JSON.parse((await promisify(execFile)('tar', read)).stdout) as object)
  }
  const server = http.createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '').slice(1)
    const file = packed.find(({ filename }) => path === `tarballs/${filename}`)
    const known = packed.find(({ name }) => name === path)
    if (file) response.end(readFileSync(join(folder, file.filename)))
    else if (known) response.end(JSON.stringify(documentOf(known)))
    else response.writeHead(404).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`

  function documentOf({ name, version, filename }: Packed): object {
    const sha512 = createHash('sha512')
      .update(readFileSync(join(folder, filename)))
      .digest('base64')
    const dist = { tarball: `${url}tarballs/${filename}`, integrity: `sha512-${sha512}` }
    return {
      name,
      'dist-tags': { latest: version },
      versions: { [version]: { ...manifests.get(name), dist } },
    }
  }

  return {
    url,
    tarballOf: (name) => join(folder, packed.find((one) => one.name === name)?.filename ?? ''),
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
