import { AutoApiController, Clock } from '@keel/framework'
import type { ImplementationOf } from '@keel/framework/contracts'
import {
  entityMeta,
  type ImportedRow,
  ImportingService,
  Imports,
  type ImportTarget,
  ListSheet,
  writeDifferingRows,
} from '@keel/framework/data'
import { RequiresPermission } from '@keel/framework/security'
import {
  HarmonizedSystemAppService,
  HarmonizedSystemRow,
  ReferenceDataPermissions,
} from '../contracts/index.js'
import { HsCode, parentCodeOf } from '../domain/hs-code.js'
import { HsCodeStore } from '../persistence/hs-code-store.js'
import { publishedLines } from './published-lines.js'

type Row = ImportedRow<HsCode, HarmonizedSystemRow>

const options = { key: 'code' }
const sheet = new ListSheet(entityMeta(HsCode), HarmonizedSystemRow, { fileName: 'harmonized-system' })
const writtenMembers = ['description', 'level', 'sectionCode', 'parentId'] as const

/** The sum of all goods, which statistics have as a code, and as what chapters belong to. */
const total = 'TOTAL'

const harmonizedSystemLines = publishedLines<keyof HarmonizedSystemRow>({
  headers: {
    hscode: 'code',
    code: 'code',
    description: 'description',
    section: 'sectionCode',
    sectioncode: 'sectionCode',
    parent: 'parentCode',
    parentcode: 'parentCode',
    level: 'level',
  },
  fewestHeaders: 3,
  leavesOut: (textOf) => textOf('code') === total,
})

@AutoApiController(HarmonizedSystemAppService)
@RequiresPermission(ReferenceDataPermissions.Import)
export class HarmonizedSystemService
  extends ImportingService
  implements ImplementationOf<typeof HarmonizedSystemAppService>
{
  constructor(
    private readonly codes: HsCodeStore,
    private readonly clock: Clock,
    imports: Imports,
  ) {
    super(imports)
  }

  override get importTarget(): ImportTarget<HsCode, HarmonizedSystemRow> {
    return {
      contract: HarmonizedSystemAppService,
      rows: { input: HarmonizedSystemRow, shown: HarmonizedSystemRow },
      sheet,
      store: this.codes,
      options,
      linesOf: harmonizedSystemLines,
      inputOf: ({ code, parentCode, ...values }) => ({
        ...values,
        code: withZero(code),
        parentCode: withZero(parentCode),
      }),
      prepare: (rows) => this.prepare(rows),
      // The time of the last import says when one changed the code.
      write: (rows) =>
        writeDifferingRows({ store: this.codes, options }, rows, {
          members: writtenMembers,
          beside: { lastImportTime: this.clock.now },
        }),
    }
  }

  /** Puts each row below the chapter or heading that its digits name, which is in the file or there already. */
  private async prepare(rows: readonly Row[]): Promise<void> {
    const ids = await this.idsAround(rows)
    for (const row of rows) {
      const { code, description, sectionCode, parentCode, level } = row.input
      const parent = parentCodeOf(code)
      if ((level ?? code.length) !== code.length)
        row.refuse('level', 'Hub:Validation:HsLevel', { level: code.length })
      if (parentCode && parentCode !== (parent ?? total))
        row.refuse('parentCode', 'Hub:Validation:HsParent', { parentCode: parent ?? total })
      const parentId = parent === undefined ? null : ids.get(parent)
      if (parentId === undefined)
        row.refuse('code', 'Hub:Validation:NoSuchHsParent', { parentCode: parent ?? total })
      row.values = {
        ...row.values,
        code,
        description,
        sectionCode,
        level: code.length,
        parentId: parentId ?? null,
      }
    }
  }

  /** The ids of rows and of what they belong to, by their codes. */
  private async idsAround(rows: readonly Row[]): Promise<ReadonlyMap<string, string>> {
    const ids = new Map(
      rows.map(({ input, before, values }) => [input.code, before?.id ?? (values.id as string)]),
    )
    const missing = new Set(rows.flatMap(({ input }) => parentCodeOf(input.code) ?? []))
    for (const code of ids.keys()) missing.delete(code)
    if (missing.size) for (const { code, id } of await this.codes.withCodes([...missing])) ids.set(code, id)
    return ids
  }
}

/** A code of digits with the zero in front that spreadsheets take away. */
function withZero(code: unknown): unknown {
  return typeof code === 'string' && /^[1-9](\d\d){0,2}$/.test(code) ? `0${code}` : code
}
