import { type ClaimTypeDto, IdentityClaimTypePermissions, IdentityClaimValueType } from '@keel/platform-proxy'
import { useApplication } from '../application.js'
import { platform } from '../clients.js'
import type { Column } from '../parts/data-list.js'
import { EditDialog, type Editing } from '../parts/edit-dialog.js'
import { enumOptions } from '../parts/fields.js'
import { ListPage } from '../parts/list-page.js'

type ClaimType = InstanceType<typeof ClaimTypeDto>
const text = (key: string) => `AbpIdentity::DisplayName:${key}`

function valuesOf(claimType?: ClaimType) {
  return {
    name: claimType?.name ?? '',
    valueType: claimType?.valueType ?? IdentityClaimValueType.String,
    required: claimType?.required ?? false,
    description: claimType?.description ?? '',
    regex: claimType?.regex ?? '',
    regexDescription: claimType?.regexDescription ?? '',
    concurrencyStamp: claimType?.concurrencyStamp ?? '',
  }
}

/** The kinds of claims that users and roles may have. */
export function Page() {
  const { t, may } = useApplication()
  const { claimTypes } = platform.identity
  const editing: Editing<ClaimType, ReturnType<typeof valuesOf>> = {
    draft: 'claim-type',
    get: claimTypes.get,
    create: claimTypes.create as never,
    update: claimTypes.update as never,
    valuesOf,
    fieldOfCode: { '0021': 'name' },
    fields: [
      { name: 'name', title: text('ClaimType:Name'), isRequired: true },
      {
        name: 'valueType',
        title: text('ValueType'),
        kind: 'enum',
        isRequired: true,
        options: enumOptions(t, 'AbpIdentity::Enum:IdentityClaimValueType', IdentityClaimValueType),
      },
      { name: 'description', title: 'AbpUi::DisplayName:Description', kind: 'area' },
      { name: 'regex', title: text('Regex') },
      { name: 'regexDescription', title: text('RegexDescription') },
      { name: 'required', title: text('Required'), kind: 'check' },
    ],
  }
  const columns: Column<ClaimType>[] = [
    { id: 'name', title: text('ClaimType:Name'), sort: 'name', isEssential: true, cell: ({ name }) => name },
    {
      id: 'type',
      title: text('ValueType'),
      isEssential: true,
      cell: ({ valueType }) => t(`AbpIdentity::Enum:IdentityClaimValueType.${valueType}`),
    },
    {
      id: 'required',
      title: text('Required'),
      cell: ({ required }) => t(required ? 'AbpUi::Yes' : 'AbpUi::No'),
    },
    { id: 'description', title: 'AbpUi::DisplayName:Description', cell: ({ description }) => description },
    {
      id: 'static',
      title: text('IsStatic'),
      cell: ({ isStatic }) => t(isStatic ? 'AbpUi::Yes' : 'AbpUi::No'),
    },
  ]
  return (
    <ListPage
      title="AbpIdentity::ClaimTypes"
      hint="ClaimTypesHint"
      icon="list"
      emptyHint="NoClaimTypesHint"
      list={claimTypes.getList}
      columns={columns}
      work={{
        newTitle: may(IdentityClaimTypePermissions.Create) && 'NewClaimType',
        mayEdit: may(IdentityClaimTypePermissions.Update),
        isEditable: ({ isStatic }) => !isStatic,
        dialog: (id, onClose) => (
          <EditDialog
            id={id}
            title={t(id ? 'AbpIdentity::Entity:ClaimType' : 'NewClaimType')}
            editing={editing}
            mayChange={may(id ? IdentityClaimTypePermissions.Update : IdentityClaimTypePermissions.Create)}
            onClose={onClose}
          />
        ),
      }}
      removal={
        may(IdentityClaimTypePermissions.Delete) && {
          call: claimTypes.delete,
          warn: ({ name }) => t('DeleteClaimTypeHint', { name }),
          isAllowed: ({ isStatic }) => !isStatic,
        }
      }
    />
  )
}
