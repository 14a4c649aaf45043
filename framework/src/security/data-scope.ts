/**
 * Extension point: data that users see by something other than permissions, such as the organizations they
 * belong to. A module lists its subclasses in `services`; there may be several in a host. `Authority` asks
 * all of them before a caller takes over a user.
 */
export abstract class DataScope {
  /**
   * True when the caller at hand sees everything that these users see. Only what does not follow from
   * permissions has to be compared: the caller holds all permissions that can be used on behalf of the users.
   * Users that do not exist see nothing.
   */
  abstract includes(userIds: readonly string[]): Promise<boolean>
}
