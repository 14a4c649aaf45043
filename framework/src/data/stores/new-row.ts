import type { Model } from 'sequelize-typescript'

/** The values of a new row: what the framework fills in may be left out. */
export type NewRow<T> = Partial<Omit<T, Exclude<keyof Model, 'id'>>>
