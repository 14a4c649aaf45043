import { Injectable } from '@keel/framework'
import { BusinessError } from '@keel/framework/contracts'
import { EntitySetRows } from '@keel/framework/odata'
import { ExportErrors } from '../contracts/index.js'
import type { ExportRun } from '../domain/export-schedule.js'

/** Who may still have the file of a run: its owner may have lost a right since, and an API key of the owner may lack one. */
@Injectable()
export class ExportFileRights {
  constructor(private readonly sets: EntitySetRows) {}

  /** Refuses callers who may not read the columns of a file, or to whom row rules show other rows than when it was made. */
  async demand({ entitySet: set, query, columns, scope }: ExportRun): Promise<void> {
    if ((await this.sets.scopeOf({ set, query, columns })) !== scope)
      throw new BusinessError(ExportErrors.ScopeChanged)
  }
}
