import { checkName, pascal } from './names.js'
import { readRepository, repositoryValues } from './repository.js'
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
  const repository = readRepository(files)
  const references = repository.isSolution ? '' : '{ "path": "../../framework" }'
  const values = { ...repositoryValues(repository), host, Host: pascal(host), references }
  for (const [path, text] of Object.entries(renderTemplates('host', values)))
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
