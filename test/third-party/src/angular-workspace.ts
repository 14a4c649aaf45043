import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { logging } from '@angular-devkit/core'
import { NodeWorkflow } from '@angular-devkit/schematics/tools'
import { lastValueFrom } from 'rxjs'

const folderOfPackages = fileURLToPath(new URL('../', import.meta.url))
const compiler = fileURLToPath(new URL('../../../node_modules/.bin/tsc', import.meta.url))

/** A folder with what ABP's generator needs to see of an Angular workspace. */
export interface AngularWorkspace {
  /** Runs `nx g @abp/ng.schematics:proxy-add`. What it warns of, or fails with, is given back. */
  addProxy(module: string, url: string): Promise<string[]>
  /** The generated files by their paths. */
  files(): ReadonlyMap<string, string>
  /** Compiles everything that was generated, strictly; what the compiler says against it is given back. */
  compile(): Promise<string>
  remove(): void
}

/** Makes the workspace in a folder below this package, where the packages of Angular and ABP are found. */
export function createAngularWorkspace(): AngularWorkspace {
  mkdirSync(`${folderOfPackages}.generated`, { recursive: true })
  const folder = mkdtempSync(`${folderOfPackages}.generated/angular-`)
  for (const [path, content] of Object.entries(workspaceFiles)) {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content))
  }
  return {
    async addProxy(module, url) {
      const said: string[] = []
      const workflow = new NodeWorkflow(folder, { force: true, resolvePaths: [folderOfPackages] })
      workflow.reporter.subscribe((event) => {
        if (event.kind === 'error') said.push(`${event.path}: ${event.description}`)
      })
      const logger = new logging.Logger('proxy-add')
      logger.subscribe(({ level, message }) => {
        if (level !== 'info' && level !== 'debug') said.push(`${level}: ${message}`)
      })
      const options = { module, url, apiName: 'default', source: 'shop', target: 'shop', entryPoint: '' }
      const run = workflow.execute({
        collection: '@abp/ng.schematics',
        schematic: 'proxy-add',
        options,
        logger,
      })
      await lastValueFrom(run, { defaultValue: undefined }).catch((error: Error) => said.push(error.message))
      return said
    },
    files: () => filesBelow(join(folder, 'src/app/proxy')),
    compile: () => compile(folder),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

const workspaceFiles = {
  'package.json': { name: 'shop', private: true },
  'angular.json': {
    version: 1,
    projects: {
      shop: { projectType: 'application', root: '', sourceRoot: 'src', prefix: 'app', architect: {} },
    },
  },
  'src/environments/environment.ts': `export const environment = {
  production: false,
  apis: { default: { url: 'http://localhost:4000', rootNamespace: 'Keel' } },
}
`,
  'tsconfig.json': {
    compilerOptions: {
      target: 'es2022',
      module: 'es2022',
      moduleResolution: 'bundler',
      lib: ['es2022', 'dom'],
      types: [],
      strict: true,
      noEmit: true,
      noImplicitOverride: true,
      noImplicitReturns: true,
      noFallthroughCasesInSwitch: true,
      experimentalDecorators: true,
      // Of Angular itself there is only what the generated code names.
      skipLibCheck: true,
    },
    include: ['src'],
  },
}

function filesBelow(folder: string): ReadonlyMap<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.ts'),
  )
  return new Map(paths.sort().map((path) => [path, readFileSync(join(folder, path), 'utf8')]))
}

function compile(folder: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [compiler, '-p', folder])
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text))
    child.on('error', reject)
    child.on('close', (code) => resolve(code === 0 ? '' : said || `tsc ended with ${code}`))
  })
}
