import { useMutation, useQuery } from '@keel/react'
import { Skeleton } from '@mantine/core'
import { useApplication } from '../application.js'
import { enumOptions, type Field, Fields, inputOf } from './fields.js'
import { FormBody, useForm } from './form.js'
import { useTell } from './notices.js'
import type { Described, SettingSection } from './setting-sections.js'
import { ErrorAlert } from './states.js'

type Values = Record<string, unknown>

/** The form of a group of settings, made of the members that the contract gives it. */
export function SettingForm({ section }: { readonly section: SettingSection }) {
  const stored = useQuery(section.get)
  if (stored.error) return <ErrorAlert error={stored.error} retry={() => void stored.refetch()} />
  if (!stored.data) return <Skeleton height={240} />
  const values = (section.member ? stored.data[section.member] : stored.data) as Values
  return <LoadedForm section={section} stored={values} />
}

function LoadedForm({ section, stored }: { readonly section: SettingSection; readonly stored: Values }) {
  const { t } = useApplication()
  const tell = useTell()
  const { run } = useMutation()
  const members = Object.keys(section.dto.schema.shape)
  const fields = members.map((member): Field<Values> => {
    const [key, enumeration] = section.enums?.[member] ?? []
    return {
      name: member,
      title: section.titleOf(member),
      ...kindOf(section.dto, member),
      ...(key &&
        enumeration && { kind: 'enum', options: enumOptions(t, key, enumeration), isRequired: true }),
    }
  })
  const form = useForm<Values>({
    draft: `settings:${section.id}`,
    initial: Object.fromEntries(members.map((member) => [member, stored[member] ?? ''])),
    async save(values) {
      const input = inputOf(values, fields)
      await run(section.update, section.member ? { [section.member]: input } : input)
      const secrets = members.filter((member) => kindOf(section.dto, member).kind === 'password')
      form.reset({ ...values, ...Object.fromEntries(secrets.map((member) => [member, ''])) })
      tell(t('AbpUi::SavedSuccessfully'))
    },
  })
  return (
    <FormBody form={form}>
      <Fields form={form} fields={fields} />
    </FormBody>
  )
}

interface Schema {
  readonly _zod: { readonly def: { readonly type: string; readonly innerType?: Schema } }
}

/** How a member is entered, by its type in the contract. */
function kindOf({ schema }: Described, member: string): Pick<Field<Values>, 'kind' | 'hint' | 'keepsEmpty'> {
  let inner = schema.shape[member] as Schema
  let isNullable = false
  while (inner._zod.def.innerType) {
    if (inner._zod.def.type === 'nullable') isNullable = true
    inner = inner._zod.def.innerType
  }
  const { type } = inner._zod.def
  if (type === 'string' && /password$|secret$/i.test(member))
    return { kind: 'password', hint: 'EmptyKeepsSecret', keepsEmpty: !isNullable }
  return {
    kind: type === 'boolean' ? 'switch' : type === 'number' ? 'number' : 'text',
    keepsEmpty: !isNullable,
  }
}
