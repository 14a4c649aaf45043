import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Why tests with a disk of their own can't run here; undefined when they can. With `CI=true` a missing right is a failure. */
export const noSmallDisk: string | undefined =
  mayMount() || process.env.CI === 'true' ? undefined : 'mounting a small disk needs root on Linux'

/** A real file system of a few bytes. */
export interface SmallDisk {
  readonly folder: string
  remove(): void
}

/** Mounts one in memory. */
export function mountSmallDisk(bytes: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'keel-small-disk-'))
  mount(folder, bytes)
  return {
    folder,
    remove: () => {
      // Lazily: a file without a name may be open for a moment more.
      execFileSync('umount', ['-l', folder])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function mount(folder: string, bytes: number): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder], { stdio: 'pipe' })
}

/** Containers often run as root without the right to mount: trying tells. */
function mayMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  try {
    mountSmallDisk(4096).remove()
    return true
  } catch {
    return false
  }
}
