import { Injectable } from '@keel/framework'
import { type Database, Databases, Locks, sql, UnitOfWork, undeleted } from '@keel/framework/data'
import { OrganizationUnit } from '../domain/organization-unit.js'
import { OrganizationUnitStore } from './stores.js'

/** The tree of organization units: codes and names below a parent. */
@Injectable()
export class OrganizationUnitTree {
  private readonly database: Database

  constructor(
    databases: Databases,
    private readonly store: OrganizationUnitStore,
    private readonly locks: Locks,
  ) {
    this.database = databases.of(OrganizationUnit)
  }

  /** Serializes changes of the tree: codes stay unique, and no cycle can arise. */
  async lock(): Promise<void> {
    await this.locks.hold('AbpIdentity.OrganizationUnits', { database: this.database })
  }

  /** The highest code that a child of a unit, or of the root, has or had; null without one. */
  async lastCodeBelow(parentId: string | null): Promise<string | null> {
    const [last] = await this.database.query<{ code: string | null }>(sql`
      select max("Code") as code from "AbpOrganizationUnits" where "ParentId" is not distinct from ${parentId}::uuid`)
    return last?.code ?? null
  }

  /** True when another child of a unit, or of the root, has this name. */
  async hasChild(displayName: string, parentId: string | null, exceptId?: string): Promise<boolean> {
    const same = await this.store.where(sql`
      t."ParentId" is not distinct from ${parentId}::uuid and t."DisplayName" = ${displayName} and t."Id" is distinct from ${exceptId ?? null}::uuid`)
    return same.length > 0
  }

  /** The unit with a code, and all below it. */
  subtree(code: string): Promise<OrganizationUnit[]> {
    return this.store.where(sql`t."Code" = ${code} or starts_with(t."Code", ${`${code}.`})`)
  }

  /** Gives a unit and everything below it their new codes; those that are deleted keep theirs. */
  async renumber(from: string, to: string): Promise<void> {
    await this.database.execute(sql`
      update "AbpOrganizationUnits" set "Code" = ${to} || substr("Code", ${from.length + 1}::int)
      where ("Code" = ${from} or starts_with("Code", ${`${from}.`})) and ${undeleted(OrganizationUnit)}`)
    UnitOfWork.current?.changed(this.database, this.store.meta.table)
  }
}
