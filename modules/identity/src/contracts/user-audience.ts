/** Extension point: users in pages, for what is told to many of them. Provided by identity. */
export abstract class UserAudience {
  /** True when a role of this name exists. */
  abstract isRole(roleName: string): Promise<boolean>
  /**
   * Ids of active users in order, after one of them; with a role those who hold it directly.
   * @param after undefined for the first page
   */
  abstract page(after: string | undefined, most: number, roleName?: string): Promise<string[]>
}
