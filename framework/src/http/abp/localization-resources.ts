import { existsSync, readFileSync } from 'node:fs'
import type { Application } from '../../modularity/application.js'
import { describeCulture } from './current-culture.js'

/** The texts of one resource in a culture. */
export interface TextResource {
  readonly name: string
  /** Where a client looks for what is missing here. */
  readonly baseResources: readonly string[]
  /** Of the culture, its parents and English. */
  readonly texts: Readonly<Record<string, string>>
}

/** The resource that a client looks into for a key without one (`::Key`). */
export const defaultResourceName = 'Keel'

/** The framework's own texts; every module has a resource of its name beside it. */
const frameworkFolder = new URL('../../../localization/', import.meta.url)

/** Every resource with its texts in a culture. The one place that knows how texts are kept. */
export function textResources(application: Application, culture: string): TextResource[] {
  const chain = ['en', culture.split('-')[0] as string, culture]
  const texts = (folder: URL): Record<string, string> =>
    Object.assign({}, ...chain.map((name) => readTexts(new URL(`${name}.json`, folder))))
  const ofModules = application.modules.flatMap(({ name, options: { localization } }) =>
    localization ? [{ name, baseResources: [defaultResourceName], texts: texts(localization) }] : [],
  )
  return [{ name: defaultResourceName, baseResources: [], texts: texts(frameworkFolder) }, ...ofModules]
}

/** The languages that have texts, with their names in themselves. */
export function languages(application: Application): { cultureName: string; displayName: string }[] {
  return application.localization.cultures.map((cultureName) => ({
    cultureName,
    displayName: describeCulture(cultureName)?.nativeName ?? cultureName,
  }))
}

function readTexts(file: URL): Record<string, string> {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
}
