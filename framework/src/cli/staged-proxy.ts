import { withDependency, withReference } from './source-edits.js'
import type { StagedFiles } from './staged-files.js'
import { renderTemplates, type TemplateValues } from './templates.js'

/**
 * Stages the package of a typed client in a solution, and lists it where packages are compiled and tested. Throws when there is a proxy of that
 * name.
 */
export function stageProxy(files: StagedFiles, values: TemplateValues): void {
  const { module = '', scope = '', version = '' } = values
  for (const [path, text] of Object.entries(renderTemplates('proxy', values)))
    files.create(`proxies/${module}/${path}`, text)
  files.edit('test/package.json', (text) => withDependency(text, `${scope}/${module}-proxy`, version))
  files.edit('test/tsconfig.json', (text) => withReference(text, `../proxies/${module}`))
  files.edit('tsconfig.json', (text) => withReference(text, `./proxies/${module}`))
}
