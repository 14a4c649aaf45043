import { AutoApiController } from '@keel/framework'
import { CrudService } from '@keel/framework/data'
import { RequiresPermission } from '@keel/framework/security'
import { PortPermissions, TerminalAppService } from '../contracts/index.js'
import { Terminal } from '../domain/terminal.js'

@AutoApiController(TerminalAppService)
@RequiresPermission(PortPermissions)
export class TerminalService extends CrudService(TerminalAppService, Terminal, {
  searchIn: ['code', 'name'],
  defaultSorting: 'code',
  filterBy: ['portId'],
  checksReferences: true,
}) {}
