import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folderOfPackages = fileURLToPath(new URL('../', import.meta.url))
const compiler = fileURLToPath(new URL('../../../node_modules/.bin/tsc', import.meta.url))

/** What odata2ts made of a service description. */
export interface GeneratedClient {
  /** Compiles it strictly, together with a program that uses it; what the compiler says against it is given back. */
  compile(program: string): Promise<string>
  /** What the compiled program exports. */
  // biome-ignore lint/suspicious/noExplicitAny: its types exist only once it is generated
  load(): any
  remove(): void
}

/** Generates a client with odata2ts in a folder below this package, where its libraries are found. */
export async function generateClient(metadata: string): Promise<GeneratedClient> {
  mkdirSync(`${folderOfPackages}.generated`, { recursive: true })
  const folder = mkdtempSync(`${folderOfPackages}.generated/odata2ts-`)
  write('metadata.xml', metadata)
  write('package.json', { name: 'shop', private: true, type: 'commonjs' })
  write('tsconfig.json', {
    compilerOptions: {
      target: 'es2022',
      module: 'node16',
      moduleResolution: 'node16',
      rootDir: 'src',
      outDir: 'dist',
      strict: true,
      skipLibCheck: true,
      types: [],
    },
    include: ['src'],
  })
  const cli = createRequire(import.meta.url)
    .resolve('@odata2ts/odata2ts')
    .replace(/[^/\\]+$/, 'run-cli.js')
  const said = await run(folder, [cli, '-s', 'metadata.xml', '-o', 'src', '-m', 'service', '-e', 'ts'])
  if (!said.includes('Successfully finished')) throw new Error(said)
  return {
    compile: (program) => {
      write('src/program.ts', program)
      return run(folder, [compiler, '-p', '.'])
    },
    load: () => createRequire(join(folder, 'package.json'))('./dist/program.js'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }

  function write(path: string, content: string | object): void {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content))
  }
}

/** Runs a script of Node's; what it said. */
function run(cwd: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd })
    let said = ''
    child.stdout.on('data', (chunk) => (said += chunk))
    child.stderr.on('data', (chunk) => (said += chunk))
    child.once('error', reject)
    child.once('close', () => resolve(said.trim()))
  })
}
