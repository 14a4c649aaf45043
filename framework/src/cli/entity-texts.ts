import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type EntityField, labelOf } from './entity-fields.js'
import { capitalized, pascal, plural, words } from './names.js'
import type { StagedFiles } from './staged-files.js'
import type { TargetModule } from './target-module.js'

/** The verbs of the permissions, in the languages that the product has texts in. */
const verbs: Readonly<
  Record<string, readonly [view: string, create: string, edit: string, remove: string, restore: string]>
> = {
  en: ['view', 'create', 'edit', 'delete', 'restore deleted ones'],
  de: ['ansehen', 'anlegen', 'bearbeiten', 'löschen', 'gelöschte wiederherstellen'],
  es: ['ver', 'crear', 'editar', 'eliminar', 'restaurar elementos eliminados'],
  fr: ['voir', 'créer', 'modifier', 'supprimer', 'restaurer les éléments supprimés'],
  tr: ['görüntüle', 'oluştur', 'düzenle', 'sil', 'silinenleri geri getir'],
  'zh-Hans': ['查看', '创建', '编辑', '删除', '恢复已删除的'],
}

/**
 * Adds the texts of permissions and fields in every language. Answers those that are English in all of them.
 */
export function addEntityTexts(
  files: StagedFiles,
  target: TargetModule,
  entity: string,
  fields: readonly EntityField[],
): string[] {
  const Entity = pascal(entity)
  const many = capitalized(words(plural(entity)))
  // A member without a label of its own has that of its module, else that of the framework (Localization.label).
  const own = files
    .list(target.folder)
    .filter((path) => /\/localization\/(?:[\w-]+\/)?en\.json$/.test(path))
    .map((path) => files.read(path))
  const known = [...own, ...frameworkTexts()].flatMap((text) => Object.keys(JSON.parse(text) as object))
  const group = `Permission:${target.Service}`
  const labels = fields.filter(({ label }) => !known.includes(`DisplayName:${label}`))
  for (const [culture, ofCulture] of Object.entries(verbs)) {
    const path = `${target.folder}/localization/${culture}.json`
    if (files.find(path) === undefined) files.create(path, '{}')
    files.edit(path, (text) => {
      const texts = Object.entries(JSON.parse(text) as Record<string, string>)
      const behind = texts.findLastIndex(([key]) => key.startsWith('Permission:')) + 1
      const rights = ['View', 'Create', 'Edit', 'Delete', 'Restore'].map((right, index) => [
        `${`Permission:${Entity}`}.${right}`,
        `${many} – ${ofCulture[index]}`,
      ])
      const all = [
        ...texts.slice(0, behind),
        ...(known.includes(group) ? [] : [[group, target.Service]]),
        ...rights,
        ...texts.slice(behind),
        ...labels.map((field) => [`DisplayName:${Entity}:${field.label}`, labelOf(field)]),
      ]
      return `${JSON.stringify(Object.fromEntries(all), undefined, 2)}\n`
    })
  }
  return [many, ...labels.map(labelOf)]
}

/** The English texts of the framework that writes them. */
function frameworkTexts(): string[] {
  const folder = fileURLToPath(new URL('../../localization/', import.meta.url))
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => basename(path) === 'en.json')
    .map((path) => readFileSync(join(folder, path), 'utf8'))
}
