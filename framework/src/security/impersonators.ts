/** Why a permission to act as others does not do for a user: missing, less data, fewer rights. */
export type ImpersonationRefusal = 'NotPermitted' | 'SeesLess' | 'HoldsLess'

/**
 * Extension point: who may act in another user's name at this moment. Asked when somebody begins, and again as long as it
 * lasts: sessions and work in a user's name end with the right to begin them. Without a provider they end when the
 * impersonator may not sign in any more.
 */
export abstract class Impersonators {
  /** Why a user may not act as another one by a permission; undefined when they may. */
  abstract refusalOf(impersonatorId: string, userId: string): Promise<ImpersonationRefusal | undefined>

  /** True while a user may act as another one: by a permission, or because the other one delegated to them. */
  abstract mayActAs(impersonatorId: string, userId: string): Promise<boolean>
}
