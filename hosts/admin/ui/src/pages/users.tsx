import { IdentityPermissions, type IdentityUserDto, IdentityUserPermissions } from '@keel/platform-proxy'
import { useMutation, useQuery } from '@keel/react'
import { Badge, Button } from '@mantine/core'
import { useState } from 'react'
import { useApplication } from '../application.js'
import { platform } from '../clients.js'
import { ClaimsDialog } from '../parts/claims-dialog.js'
import { Confirm, useQuestion } from '../parts/confirm.js'
import { type Column, DataList, type RowAction } from '../parts/data-list.js'
import type { Filter } from '../parts/filters.js'
import { Icon } from '../parts/icons.js'
import { Invitations } from '../parts/invitations.js'
import { anyState } from '../parts/list-page.js'
import { useAct, useTell } from '../parts/notices.js'
import { PageHead } from '../parts/page-head.js'
import { PermissionsDialog } from '../parts/permissions-dialog.js'
import { EmptyState } from '../parts/states.js'
import { useUrlState } from '../parts/url-state.js'
import { LockDialog, PasswordDialog, SignOutDialog } from '../parts/user-dialogs.js'
import { UserDrawer } from '../parts/user-drawer.js'
import { UserFiles } from '../parts/user-files.js'

type User = InstanceType<typeof IdentityUserDto>
type Asked = {
  readonly kind: 'delete' | 'lock' | 'password' | 'sign-out' | 'act-as' | 'claims'
  readonly user: User
}

/** Users: a list to search, and what administrators do with one of them. */
export function Page() {
  const { t, may, host, session, config, formatInstant } = useApplication()
  const [url, setUrl] = useUrlState()
  const [asked, ask] = useState<Asked>()
  const tell = useTell()
  const act = useAct()
  const { run } = useMutation(platform.identity.roles.getList)
  const { users } = platform.identity
  const roles = useQuery(users.getRoleLookup)
  const mayChange = may(IdentityUserPermissions.Update)
  const { ask: askFirst, question } = useQuestion()
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
      title: 'AbpIdentity::DisplayName:Claims',
      icon: 'list',
      isShown: () => mayChange,
      run: (user) => ask({ kind: 'claims', user }),
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
      run: ({ id, userName }) => act(run(users.unlock, id), t('Unlocked', { name: userName })),
    },
    {
      title: 'SwitchOffTwoFactor',
      icon: 'key',
      isShown: ({ twoFactorEnabled }) => mayChange && twoFactorEnabled,
      isDangerous: true,
      run: ({ id, userName }) =>
        askFirst({
          action: t('SwitchOffTwoFactor'),
          words: t('SwitchOffTwoFactorHint', { name: userName }),
          run: () => run(users.setTwoFactorEnabled, id, false),
          done: t('TwoFactorIsOff', { name: userName }),
        }),
    },
    {
      title: 'ActAs',
      icon: 'person',
      isShown: (user) =>
        config.impersonation && may(IdentityUserPermissions.Impersonation) && user.isActive && !isSelf(user),
      run: (user) => ask({ kind: 'act-as', user }),
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
  const filters: readonly Filter[] = [
    {
      name: 'roleId',
      title: 'AbpIdentity::DisplayName:Role',
      kind: 'choice',
      options: roles.data?.map(({ id, name }) => ({ value: id, label: name })) ?? [],
    },
    {
      name: 'state',
      title: 'State',
      kind: 'choice',
      initial: anyState,
      options: [
        { value: 'active', label: t('Active') },
        { value: 'inactive', label: t('Inactive') },
        { value: 'locked', label: t('LockedOut') },
        { value: anyState, label: t('AnyState') },
      ],
      toInput: (state) => (state === 'locked' ? { isLockedOut: true } : { notActive: state === 'inactive' }),
    },
    { name: 'emailConfirmed', title: 'AbpIdentity::DisplayName:EmailConfirmed', kind: 'flag', isExtra: true },
    { name: 'isExternal', title: 'AbpIdentity::DisplayName:IsExternal', kind: 'flag', isExtra: true },
    { name: 'minCreationTime', title: 'CreatedSince', kind: 'instant', isExtra: true },
    { name: 'maxCreationTime', title: 'CreatedUntil', kind: 'instant', isExtra: true },
  ]
  return (
    <>
      <PageHead title={t('AbpIdentity::Users')} hint={t('UsersHint')}>
        {may(IdentityUserPermissions.Create) && (
          <Button
            variant="default"
            leftSection={<Icon name="mail" />}
            onClick={() => setUrl({ invitations: 'open' }, true)}
          >
            {t('Invitations')}
          </Button>
        )}
        {newUser}
      </PageHead>
      <DataList
        label={t('AbpIdentity::Users')}
        list={users.getList}
        columns={columns}
        actions={actions}
        onOpen={({ id }) => setUrl({ user: id }, true)}
        filters={filters}
        views="Users"
        commands={<UserFiles filters={filters} />}
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
      {url['invitations'] && <Invitations onClose={() => setUrl({ invitations: undefined })} />}
      {url['permissions'] && (
        <PermissionsDialog
          providerName="U"
          providerKey={url['permissions']}
          onClose={() => setUrl({ permissions: undefined })}
        />
      )}
      {question}
      {asked?.kind === 'password' && <PasswordDialog user={asked.user} onClose={close} />}
      {asked?.kind === 'lock' && <LockDialog user={asked.user} onClose={close} />}
      {asked?.kind === 'sign-out' && <SignOutDialog user={asked.user} onClose={close} />}
      {asked?.kind === 'claims' && (
        <ClaimsDialog
          id={asked.user.id}
          name={asked.user.userName}
          calls={{
            getClaims: users.getClaims,
            updateClaims: users.updateClaims,
            getAllClaimTypes: users.getAllClaimTypes,
          }}
          onClose={close}
        />
      )}
      {asked?.kind === 'act-as' && (
        <Confirm
          title={t('ActAs')}
          action={t('ActAs')}
          isDangerous={false}
          onConfirm={() => session.actAs(asked.user.id)}
          onClose={close}
        >
          {t('ActAsHint', { name: asked.user.userName })}
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
