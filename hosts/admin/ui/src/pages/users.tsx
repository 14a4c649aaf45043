import { IdentityPermissions, type IdentityUserDto, IdentityUserPermissions } from '@keel/platform-proxy'
import { Badge, Button, Group, Select } from '@mantine/core'
import { useState } from 'react'
import { useApplication } from '../application.js'
import { platform } from '../clients.js'
import { useMutation, useQuery } from '../keel-react.js'
import { Confirm } from '../parts/confirm.js'
import { type Column, DataList, type RowAction } from '../parts/data-list.js'
import { Icon } from '../parts/icons.js'
import { useTell } from '../parts/notices.js'
import { PageHead } from '../parts/page-head.js'
import { PermissionsDialog } from '../parts/permissions-dialog.js'
import { EmptyState } from '../parts/states.js'
import { useUrlState } from '../parts/url-state.js'
import { LockDialog, PasswordDialog } from '../parts/user-dialogs.js'
import { UserDrawer } from '../parts/user-drawer.js'

type User = InstanceType<typeof IdentityUserDto>
type Asked = { readonly kind: 'delete' | 'lock' | 'password' | 'sign-out'; readonly user: User }

/** Users: a list to search, and what administrators do with one of them. */
export function Page() {
  const { t, may, host, formatInstant } = useApplication()
  const [url, setUrl] = useUrlState()
  const [asked, ask] = useState<Asked>()
  const tell = useTell()
  const { run } = useMutation(platform.identity.roles.getList)
  const { users, sessions } = platform.identity
  const roles = useQuery(users.getRoleLookup)
  const mayChange = may(IdentityUserPermissions.Update)
  const isSelf = ({ id }: User) => id === host.currentUser.id
  const close = () => ask(undefined)

  const columns: Column<User>[] = [
    {
      id: 'userName',
      title: 'AbpIdentity::UserName',
      sort: 'userName',
      isEssential: true,
      cell: (user) => user.userName,
    },
    { id: 'name', title: 'FullName', sort: 'name', cell: nameOf },
    { id: 'email', title: 'AbpIdentity::EmailAddress', sort: 'email', cell: ({ email }) => email },
    { id: 'roles', title: 'AbpIdentity::Roles', cell: ({ roleNames }) => roleNames.join(', ') },
    { id: 'state', title: 'State', isEssential: true, cell: (user) => <State user={user} /> },
    {
      id: 'lastSignIn',
      title: 'AbpIdentity::DisplayName:LastSignInTime',
      cell: ({ lastSignInTime }) => formatInstant(lastSignInTime) || t('Never'),
    },
    {
      id: 'phone',
      title: 'AbpIdentity::PhoneNumber',
      isExtra: true,
      sort: 'phoneNumber',
      cell: ({ phoneNumber }) => phoneNumber,
    },
    {
      id: 'created',
      title: 'AbpUi::DisplayName:CreationTime',
      isExtra: true,
      sort: 'creationTime',
      cell: ({ creationTime }) => formatInstant(creationTime),
    },
    {
      id: 'twoFactor',
      title: 'AbpIdentity::DisplayName:TwoFactorEnabled',
      isExtra: true,
      cell: ({ twoFactorEnabled }) => t(twoFactorEnabled ? 'AbpUi::Yes' : 'AbpUi::No'),
    },
  ]

  const actions: RowAction<User>[] = [
    {
      title: 'AbpUi::Edit',
      icon: 'edit',
      isShown: () => mayChange,
      run: ({ id }) => setUrl({ user: id }, true),
    },
    {
      title: 'AbpIdentity::Permissions',
      icon: 'shield',
      isShown: () => may(IdentityUserPermissions.ManagePermissions),
      run: ({ id }) => setUrl({ permissions: id }, true),
    },
    {
      title: 'AbpIdentity::Sessions',
      icon: 'device',
      isShown: () => may(IdentityPermissions.Sessions),
      run: ({ id }) => setUrl({ user: id, tab: 'sessions' }, true),
    },
    {
      title: 'SetPassword',
      icon: 'key',
      isShown: ({ isExternal }) => mayChange && !isExternal,
      run: (user) => ask({ kind: 'password', user }),
    },
    {
      title: 'Lock',
      icon: 'lock',
      isShown: (user) => mayChange && user.lockoutEnabled && !user.isLockedOut && !isSelf(user),
      run: (user) => ask({ kind: 'lock', user }),
    },
    {
      title: 'Unlock',
      icon: 'lock',
      isShown: (user) => mayChange && user.isLockedOut,
      run: ({ id, userName }) =>
        void run(users.unlock, id).then(
          () => tell(t('Unlocked', { name: userName })),
          (error: Error) => tell(error.message, true),
        ),
    },
    {
      title: 'SignOutEverywhere',
      icon: 'exit',
      isShown: () => may(IdentityPermissions.Sessions),
      run: (user) => ask({ kind: 'sign-out', user }),
    },
    {
      title: 'AbpUi::Delete',
      icon: 'trash',
      isDangerous: true,
      isShown: (user) => may(IdentityUserPermissions.Delete) && !isSelf(user),
      run: (user) => ask({ kind: 'delete', user }),
    },
  ]

  const newUser = may(IdentityUserPermissions.Create) && (
    <Button leftSection={<Icon name="plus" />} onClick={() => setUrl({ user: 'new' }, true)}>
      {t('AbpIdentity::NewUser')}
    </Button>
  )
  const isLockedOut = url['locked'] === 'yes' ? true : undefined
  return (
    <>
      <PageHead title={t('AbpIdentity::Users')} hint={t('UsersHint')}>
        {newUser}
      </PageHead>
      <DataList
        label={t('AbpIdentity::Users')}
        list={users.getList}
        input={{
          roleId: url['role'],
          isLockedOut,
          notActive: url['active'] === 'no' ? true : url['active'] === 'yes' ? false : undefined,
        }}
        columns={columns}
        actions={actions}
        onOpen={({ id }) => setUrl({ user: id }, true)}
        filters={
          <Group gap="xs">
            <Select
              aria-label={t('AbpIdentity::DisplayName:Role')}
              placeholder={t('AnyRole')}
              data={roles.data?.map(({ id, name }) => ({ value: id, label: name })) ?? []}
              value={url['role'] ?? null}
              onChange={(role) => setUrl({ role: role ?? undefined })}
              clearable
              searchable
              w={170}
            />
            <Select
              aria-label={t('State')}
              placeholder={t('AnyState')}
              data={[
                { value: 'active', label: t('Active') },
                { value: 'inactive', label: t('Inactive') },
                { value: 'locked', label: t('LockedOut') },
              ]}
              value={
                isLockedOut
                  ? 'locked'
                  : url['active'] === 'no'
                    ? 'inactive'
                    : url['active'] === 'yes'
                      ? 'active'
                      : null
              }
              onChange={(state) =>
                setUrl({
                  locked: state === 'locked' ? 'yes' : undefined,
                  active: state === 'active' ? 'yes' : state === 'inactive' ? 'no' : undefined,
                })
              }
              clearable
              w={150}
            />
          </Group>
        }
        empty={
          <EmptyState icon="users" title={t('NoUsers')} action={newUser}>
            {t('NoUsersHint')}
          </EmptyState>
        }
      />
      {url['user'] && (
        <UserDrawer
          key={url['user']}
          id={url['user'] === 'new' ? undefined : url['user']}
          tab={url['tab'] ?? 'profile'}
          onTab={(tab) => setUrl({ tab })}
          onClose={() => setUrl({ user: undefined, tab: undefined })}
        />
      )}
      {url['permissions'] && (
        <PermissionsDialog
          providerName="U"
          providerKey={url['permissions']}
          onClose={() => setUrl({ permissions: undefined })}
        />
      )}
      {asked?.kind === 'password' && <PasswordDialog user={asked.user} onClose={close} />}
      {asked?.kind === 'lock' && <LockDialog user={asked.user} onClose={close} />}
      {asked?.kind === 'sign-out' && (
        <Confirm
          title={t('SignOutEverywhere')}
          action={t('SignOutEverywhere')}
          onConfirm={async () => {
            await run(sessions.revokeAll, asked.user.id)
            tell(t('SignedOutEverywhere', { name: asked.user.userName }))
          }}
          onClose={close}
        >
          <SessionCount user={asked.user} />
        </Confirm>
      )}
      {asked?.kind === 'delete' && (
        <Confirm
          title={t('AbpUi::Delete')}
          action={t('AbpUi::Delete')}
          onConfirm={async () => {
            await run(users.delete, asked.user.id)
            tell(t('AbpUi::DeletedSuccessfully'))
          }}
          onClose={close}
        >
          {t('DeleteUserHint', {
            name: asked.user.userName,
            roles: asked.user.roleNames.length,
          })}
        </Confirm>
      )}
    </>
  )
}

function nameOf({ name, surname }: User): string {
  return [name, surname].filter(Boolean).join(' ')
}

function SessionCount({ user }: { readonly user: User }) {
  const { t } = useApplication()
  const open = useQuery(platform.identity.sessions.getList, { userId: user.id, maxResultCount: 1 })
  return t('SignOutHint', { name: user.userName, count: open.data?.totalCount ?? '…' })
}

function State({ user }: { readonly user: User }) {
  const { t, formatInstant } = useApplication()
  if (!user.isActive)
    return (
      <Badge color="gray" variant="light" c="var(--mantine-color-text)">
        {t('Inactive')}
      </Badge>
    )
  if (user.isLockedOut)
    return (
      <Badge color="red" variant="light" title={formatInstant(user.lockoutEnd)}>
        {t('LockedOut')}
      </Badge>
    )
  return (
    <Badge color="teal" variant="light">
      {t('Active')}
    </Badge>
  )
}
