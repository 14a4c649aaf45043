import type { Settings } from '@keel/framework'
import { compileNormalizer, type DtoClass, type SettingDefinition, type z } from '@keel/framework/contracts'
import type { SettingInput } from '../contracts/index.js'

/** Which member of a DTO shows which setting. */
export type SettingForm<S extends z.ZodRawShape> = { readonly [K in keyof S]: SettingDefinition }

/** The global values of settings as the members of a DTO. */
export async function readForm<S extends z.ZodRawShape>(
  settings: Settings,
  dto: DtoClass<S>,
  form: SettingForm<S>,
): Promise<InstanceType<DtoClass<S>>> {
  const members = await Promise.all(
    Object.entries(form).map(async ([member, { name }]) => [member, await settings.valueOf(name)] as const),
  )
  // Settings are texts: `True` and `6` become what the DTO promises, as they would on the wire.
  return compileNormalizer(dto.schema)(Object.fromEntries(members)) as InstanceType<DtoClass<S>>
}

/** The members of an input by the names of their settings. Members that are left out are not among them. */
export function formValues<S extends z.ZodRawShape>(
  form: SettingForm<S>,
  input: Readonly<Record<string, unknown>>,
): SettingInput {
  const members = Object.entries(form).filter(([member]) => input[member] !== undefined)
  return Object.fromEntries(
    members.map(([member, { name }]) => [name, input[member] as string | number | boolean | null]),
  )
}
