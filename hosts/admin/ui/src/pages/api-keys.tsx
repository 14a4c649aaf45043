import { type ApiKeyDto, ApiKeyPermissions } from '@keel/platform-proxy'
import { Badge } from '@mantine/core'
import { useState } from 'react'
import { useApplication } from '../application.js'
import { apiKeys, KeySecret, RotateDialog, UsageDrawer } from '../parts/api-key-dialogs.js'
import type { Column, RowAction } from '../parts/data-list.js'
import { EditDialog, type Editing } from '../parts/edit-dialog.js'
import { localTime } from '../parts/fields.js'
import { activeFilter, anyState, ListPage } from '../parts/list-page.js'
import { PermissionsDialog } from '../parts/permissions-dialog.js'
import { useUrlState } from '../parts/url-state.js'
import { UserName } from '../parts/user-names.js'

type Key = InstanceType<typeof ApiKeyDto>

const editing: Editing<Key, ReturnType<typeof valuesOf>> = {
  draft: 'api-key',
  get: apiKeys.get,
  create: apiKeys.create as never,
  update: apiKeys.update as never,
  valuesOf,
  fields: [
    { name: 'name', title: 'AbpUi::DisplayName:Name', isRequired: true },
    {
      name: 'expirationTime',
      title: 'ApiKeys::DisplayName:ExpirationTime',
      kind: 'instant',
      hint: 'KeyEndHint',
    },
    { name: 'description', title: 'AbpUi::DisplayName:Description', kind: 'area' },
    { name: 'isActive', title: 'Active', kind: 'switch', hint: 'KeyActiveHint' },
  ],
}

function valuesOf(key?: Key) {
  return {
    name: key?.name ?? '',
    description: key?.description ?? '',
    expirationTime: localTime(key?.expirationTime),
    isActive: key?.isActive ?? true,
    concurrencyStamp: key?.concurrencyStamp ?? '',
  }
}

/** API keys: the caller's own, with the permission those of everybody. A secret is shown once. */
export function Page() {
  const { t, may, host, formatInstant } = useApplication()
  const [url, setUrl] = useUrlState()
  const [secret, show] = useState<string>()
  const [rotated, rotate] = useState<Key>()
  const mayAll = may(ApiKeyPermissions.ManageAll)
  const mayDo = (permission: string) => (key: Key) =>
    mayAll || (may(permission) && key.userId === host.currentUser.id)
  const columns: Column<Key>[] = [
    {
      id: 'name',
      title: 'AbpUi::DisplayName:Name',
      sort: 'name',
      isEssential: true,
      cell: ({ name }) => name,
    },
    { id: 'prefix', title: 'ApiKeys::DisplayName:Prefix', cell: ({ prefix }) => <code>{prefix}…</code> },
    { id: 'owner', title: 'Owner', cell: ({ userId }) => <UserName id={userId} /> },
    { id: 'state', title: 'State', isEssential: true, cell: (key) => <KeyState apiKey={key} /> },
    {
      id: 'end',
      title: 'ApiKeys::DisplayName:ExpirationTime',
      sort: 'expirationTime',
      cell: ({ expirationTime }) => formatInstant(expirationTime) || t('Never'),
    },
    {
      id: 'rotated',
      title: 'ApiKeys::DisplayName:RotationTime',
      isExtra: true,
      cell: ({ rotationTime }) => formatInstant(rotationTime) || t('Never'),
    },
    {
      id: 'created',
      title: 'AbpUi::DisplayName:CreationTime',
      sort: 'creationTime',
      cell: ({ creationTime }) => formatInstant(creationTime),
    },
  ]
  const actions: RowAction<Key>[] = [
    {
      title: 'AbpIdentity::Permissions',
      icon: 'shield',
      isShown: mayDo(ApiKeyPermissions.ManagePermissions),
      run: ({ id }) => setUrl({ permissions: id }, true),
    },
    { title: 'ApiKeys::DisplayName:Usages', icon: 'history', run: ({ id }) => setUrl({ usage: id }, true) },
    { title: 'RotateKey', icon: 'refresh', isShown: mayDo(ApiKeyPermissions.Edit), run: rotate },
  ]
  return (
    <ListPage
      title="ApiKeys::Permission:ApiKeys"
      hint="ApiKeysHint"
      icon="key"
      emptyHint="NoApiKeysHint"
      views="ApiKeys"
      list={apiKeys.getList}
      columns={columns}
      actions={actions}
      filters={[
        activeFilter(t, anyState),
        ...(mayAll
          ? [
              {
                name: 'userId',
                title: 'Owner',
                kind: 'choice',
                options: [{ value: host.currentUser.id ?? '', label: t('OnlyMine') }],
              } as const,
            ]
          : []),
      ]}
      work={{
        newTitle: (mayAll || may(ApiKeyPermissions.Create)) && 'NewApiKey',
        mayEdit: mayAll || may(ApiKeyPermissions.Edit),
        dialog: (id, onClose) => (
          <EditDialog
            id={id}
            title={t(id ? 'ApiKeys::Entity:ApiKey' : 'NewApiKey')}
            editing={editing}
            onClose={onClose}
            {...(!id && {
              onSaved: (answer) => {
                show((answer as { key: string }).key)
                onClose()
              },
            })}
          />
        ),
      }}
      removal={
        (mayAll || may(ApiKeyPermissions.Delete)) && {
          title: 'RevokeKey',
          call: apiKeys.delete,
          warn: ({ name, prefix }) => t('RevokeKeyHint', { name, prefix }),
          isAllowed: mayDo(ApiKeyPermissions.Delete),
        }
      }
    >
      {url['usage'] && (
        <UsageDrawer
          id={url['usage']}
          mayNarrow={mayAll || may(ApiKeyPermissions.ManagePermissions)}
          onClose={() => setUrl({ usage: undefined })}
        />
      )}
      {url['permissions'] && (
        <PermissionsDialog
          providerName="AK"
          providerKey={url['permissions']}
          onClose={() => setUrl({ permissions: undefined })}
        />
      )}
      {rotated && (
        <RotateDialog
          apiKey={rotated}
          onRotated={(key) => {
            rotate(undefined)
            show(key)
          }}
          onClose={() => rotate(undefined)}
        />
      )}
      {secret && <KeySecret secret={secret} onClose={() => show(undefined)} />}
    </ListPage>
  )
}

function KeyState({ apiKey }: { readonly apiKey: Key }) {
  const { t, formatInstant } = useApplication()
  const { isActive, expirationTime, overlapEndTime } = apiKey
  const isOver = expirationTime && expirationTime.getTime() <= Date.now()
  if (!isActive || isOver)
    return (
      <Badge color="gray" variant="light">
        {t(isActive ? 'Expired' : 'Inactive')}
      </Badge>
    )
  return (
    <Badge
      color="teal"
      variant="light"
      title={
        overlapEndTime ? `${t('ApiKeys::DisplayName:OverlapEndTime')}: ${formatInstant(overlapEndTime)}` : ''
      }
    >
      {t('Active')}
    </Badge>
  )
}
