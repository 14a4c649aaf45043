// A plugin of TypeDoc. An operation of a contract is typed by its schemas, which do not name its parameters, so TypeDoc finds no parameter that
// belongs to an `@param` of its comment. These become texts with the name of the parameter in front.
import { Converter, ReflectionKind, ReflectionType } from 'typedoc'

/** @param {import('typedoc').Application} app */
export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const member of project.getReflectionsByKind(ReflectionKind.Property)) {
      if (!member.comment || !(member.type instanceof ReflectionType)) continue
      const signatures = member.type.declaration.signatures ?? []
      const names = new Set(signatures.flatMap(({ parameters = [] }) => parameters.map(({ name }) => name)))
      for (const tag of member.comment.blockTags) {
        if (tag.tag !== '@param' || names.has(tag.name)) continue
        tag.tag = '@parameter'
        tag.content.unshift({ kind: 'text', text: `\`${tag.name}\`: ` })
        tag.name = undefined
      }
    }
  })
}
