import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { LoadedModule } from './application.js'
import { StartupError } from './startup-error.js'

/** The texts of all modules, by culture and key. */
export class Localization {
  private readonly texts = new Map<string, Map<string, string>>()

  constructor(modules: readonly LoadedModule[]) {
    this.addFolder(new URL('../../localization/', import.meta.url))
    for (const { options } of modules) if (options.localization) this.addFolder(options.localization)
  }

  /** Languages that have texts. */
  get cultures(): string[] {
    return [...this.texts.keys()]
  }

  /** The text of a key with `{name}` filled from `data`: of the culture, its parent, else English; undefined when there is none. */
  find(key: string, culture: string, data: Readonly<Record<string, unknown>> = {}): string | undefined {
    const text =
      this.texts.get(culture)?.get(key) ??
      this.texts.get(culture.split('-')[0] as string)?.get(key) ??
      this.texts.get('en')?.get(key)
    return text?.replace(/\{(\w+)\}/g, (placeholder, name: string) =>
      name in data ? String(data[name]) : placeholder,
    )
  }

  private addFolder(folder: URL): void {
    const path = fileURLToPath(folder)
    if (!existsSync(path)) throw new StartupError(`The localization folder ${path} does not exist`)
    for (const file of readdirSync(path).filter((name) => name.endsWith('.json'))) {
      const culture = file.slice(0, -'.json'.length)
      const texts = this.texts.get(culture) ?? new Map<string, string>()
      this.texts.set(culture, texts)
      for (const [key, text] of Object.entries(
        JSON.parse(readFileSync(`${path}/${file}`, 'utf8')) as Record<string, string>,
      ))
        texts.set(key, text)
    }
  }
}
