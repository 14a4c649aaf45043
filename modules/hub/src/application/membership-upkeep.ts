import { Injectable } from '@keel/framework'
import { type EntityEvent, entityDeleted, entityUpdated } from '@keel/framework/contracts'
import { EventHandler } from '@keel/framework/events'
import { UserEto } from '@keel/identity/contracts'
import { OrganizationMemberStore } from '../persistence/stores.js'

/** Keeps memberships true when users change, who live in another database. */
@Injectable()
export class MembershipUpkeep {
  constructor(private readonly members: OrganizationMemberStore) {}

  @EventHandler(entityUpdated(UserEto))
  async rename({ entity }: EntityEvent<UserEto>): Promise<void> {
    for (const member of await this.members.ofUser(entity.id))
      await this.members.update(member, { userName: entity.userName })
  }

  /** A deleted user loses all memberships. A later user of the same name does not inherit them. */
  @EventHandler(entityDeleted(UserEto))
  async leave({ entity }: EntityEvent<UserEto>): Promise<void> {
    for (const member of await this.members.ofUser(entity.id)) await this.members.remove(member)
  }
}
