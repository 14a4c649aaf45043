import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { librariesOf } from './standby-modules.js'

test('the libraries of a script are what its modules import when they are loaded', () => {
  const folder = mkdtempSync(join(tmpdir(), 'keel-standby-'))
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  write(
    'main.js',
    `import { readFileSync } from 'node:fs';
import {
  a,
} from "zod";
import * as part from './part.js';
import './part.js';
export const name = 'no-library';
export * from 'pg';
const later = () => import('later');
`,
  )
  write('part.js', `import main from './main.js';\nimport 'pino';\nconst text = "import x from 'text'";\n`)
  try {
    expect(librariesOf(pathToFileURL(join(folder, 'main.js')).href)).toEqual([
      'reflect-metadata',
      'zod',
      'pg',
      'pino',
    ])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
