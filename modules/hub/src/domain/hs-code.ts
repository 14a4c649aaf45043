import { Column, DataType, Entity, OptionalColumn, ReferenceEntity } from '@keel/framework/data'
import { HubErrors } from '../contracts/index.js'

/** A kind of goods in the Harmonized System. */
@Entity('HubHsCodes', {
  referred: 'joined',
  conflicts: { IX_HubHsCodes_Code: HubErrors.HsCodeAlreadyExists },
  indexes: [
    { attributes: ['code'], unique: true },
    { attributes: ['parentId'] },
    // The expression of `hsCodesLike`.
    { attributes: [{ sql: `to_tsvector('english', "Description")` }], name: 'Description', method: 'gin' },
  ],
  checks: {
    Code: `"Code" ~ '^([0-9]{2}){1,3}$'`,
    Level: '"Level" = length("Code")',
    ParentId: '("ParentId" is null) = ("Level" = 2)',
  },
})
export class HsCode extends ReferenceEntity {
  @Column(DataType.STRING(6)) declare code: string
  @Column(DataType.STRING(1000)) declare description: string
  @Column(DataType.SMALLINT) declare level: number
  @Column(DataType.STRING(5)) declare sectionCode: string
  @OptionalColumn(DataType.UUID, { references: () => HsCode }) declare parentId: string | null
}

/** The code of the heading or chapter that a code belongs to; undefined for a chapter. */
export function parentCodeOf(code: string): string | undefined {
  return code.length > 2 ? code.slice(0, -2) : undefined
}

/** The code of the chapter that a code belongs to, which may be itself. */
export function chapterOf(code: string): string {
  return code.slice(0, 2)
}
