import { checkName, pascal } from './names.js'
import { withReference } from './source-edits.js'
import { StagedFiles } from './staged-files.js'
import { renderTemplates } from './templates.js'

/**
 * Writes a host that answers health checks alone, for modules to be listed in. Answers the next steps as a text.
 * Throws, before anything is written, when the name can't be used or is taken.
 */
export function writeHost(host: string, directory: string): string {
  checkName(host)
  const files = StagedFiles.above(directory)
  const { version } = JSON.parse(files.read('framework/package.json')) as { version: string }
  for (const [path, text] of Object.entries(renderTemplates('host', { host, Host: pascal(host), version })))
    files.create(`hosts/${host}/${path}`, text)
  files.edit('tsconfig.json', (text) => withReference(text, `./hosts/${host}`))
  files.write()
  return `hosts/${host} is written. List its modules in hosts/${host}/src/${host}-host.ts. Next:

  npm install
  npm run format
  npm run build
  KEEL_ENVIRONMENT=Development PORT=4010 node hosts/${host}/dist/main.js
`
}
