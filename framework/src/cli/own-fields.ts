import { Databases } from '../data/connections/databases.js'
import { applyOwnFieldIndexes, ownFieldIndexes } from '../data/schema/own-field-indexes.js'
import { createApplication } from '../modularity/application.js'
import { columns } from './columns.js'
import { hostToCompose } from './root-module.js'

/**
 * Brings the indexes of own fields up to what a host declares, in its configuration and in all of its modules: builds those that are missing, and
 * drops those of fields that are gone.
 */
export async function bringUpOwnFields(
  host: string,
  directory: string,
  argv: readonly string[],
): Promise<string> {
  const { root, configuration } = await hostToCompose(host, directory, argv)
  const application = createApplication(root, configuration)
  await application.compose()
  const { all } = application.get(Databases)
  try {
    const lines: string[][] = []
    for (const database of all) {
      const { built, dropped } = await applyOwnFieldIndexes(application, database, { drop: true })
      for (const { name, field } of ownFieldIndexes(application, database))
        lines.push([database.name, field, name, built.includes(name) ? 'built' : 'there'])
      for (const name of dropped) lines.push([database.name, '', name, 'dropped'])
    }
    return lines.length ? columns(lines) : 'No own field of this host is indexed.\n'
  } finally {
    await Promise.all(all.map((database) => database.stop()))
  }
}
