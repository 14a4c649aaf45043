import '../styles-of-fields.js'
import '@mantine/core/styles/Tabs.css'
import { IdentityPermissions, type IdentityUserDto, IdentityUserPermissions } from '@keel/platform-proxy'
import { useMutation, useQuery, useQueryWhen } from '@keel/react'
import {
  Button,
  Checkbox,
  MultiSelect,
  PasswordInput,
  SimpleGrid,
  Skeleton,
  Stack,
  Switch,
  Tabs,
  TextInput,
} from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { useApplication } from '../application.js'
import { platform } from '../clients.js'
import { Drawer } from './drawer.js'
import { Fields } from './fields.js'
import { ConflictDialog, FormBody, useForm } from './form.js'
import { useTell } from './notices.js'
import { useOwnFields } from './own-fields.js'
import { SessionRow } from './session-words.js'
import { EmptyState, ErrorAlert } from './states.js'
import { SignOutDialog } from './user-dialogs.js'

type User = InstanceType<typeof IdentityUserDto>

/** Brings Hub's contracts along: only those who may see memberships load it. */
const Memberships = lazy(async () => ({ default: (await import('./members-drawer.js')).Memberships }))

/** A user beside the list: profile, roles and units, sessions. Without an id a new one. */
export function UserDrawer({
  id,
  tab,
  onTab,
  onClose,
}: {
  readonly id: string | undefined
  readonly tab: string
  readonly onTab: (tab: string) => void
  readonly onClose: () => void
}) {
  const { t, may } = useApplication()
  const { users } = platform.identity
  const user = useQueryWhen(id !== undefined, users.get, id ?? '')
  const units = useQueryWhen(id !== undefined, users.getOrganizationUnits, id ?? '')
  const title = id === undefined ? t('AbpIdentity::NewUser') : (user.data?.userName ?? '…')
  const isReady = id === undefined || (user.data && units.data)
  const error = user.error ?? units.error
  return (
    <Drawer onClose={onClose} size="lg" title={title}>
      {error && (
        <ErrorAlert error={error} retry={() => void Promise.all([user.refetch(), units.refetch()])} />
      )}
      {!isReady && !error && <Skeleton height={240} />}
      {isReady && (
        <Tabs value={tab} onChange={(next) => next && onTab(next)} keepMounted={false}>
          {id !== undefined && (
            <Tabs.List mb="md">
              <Tabs.Tab value="profile">{t('AbpIdentity::UserInformations')}</Tabs.Tab>
              {may(IdentityPermissions.Sessions) && (
                <Tabs.Tab value="sessions">{t('AbpIdentity::Sessions')}</Tabs.Tab>
              )}
              {may('Organization.ManageMembers') && (
                <Tabs.Tab value="organizations">{t('Organizations')}</Tabs.Tab>
              )}
            </Tabs.List>
          )}
          <Tabs.Panel value="profile">
            <UserForm user={user.data} unitIds={units.data?.map((unit) => unit.id) ?? []} onClose={onClose} />
          </Tabs.Panel>
          {user.data && (
            <Tabs.Panel value="sessions">
              <UserSessions user={user.data} />
            </Tabs.Panel>
          )}
          {id !== undefined && (
            <Tabs.Panel value="organizations">
              <Suspense fallback={<Skeleton height={160} />}>
                <Memberships
                  of={{ userId: id }}
                  nameOf={({ organization }) => `${organization.code} · ${organization.fullName}`}
                  emptyHint={t('NoUserOrganizationsHint')}
                />
              </Suspense>
            </Tabs.Panel>
          )}
        </Tabs>
      )}
    </Drawer>
  )
}

interface UserValues {
  userName: string
  name: string
  surname: string
  email: string
  phoneNumber: string
  password: string
  isActive: boolean
  lockoutEnabled: boolean
  emailConfirmed: boolean
  shouldChangePasswordOnNextLogin: boolean
  roleNames: string[]
  organizationUnitIds: string[]
  concurrencyStamp: string
}

function valuesOf(user: User | undefined, unitIds: readonly string[]): UserValues {
  return {
    userName: user?.userName ?? '',
    name: user?.name ?? '',
    surname: user?.surname ?? '',
    email: user?.email ?? '',
    phoneNumber: user?.phoneNumber ?? '',
    password: '',
    isActive: user?.isActive ?? true,
    lockoutEnabled: user?.lockoutEnabled ?? true,
    emailConfirmed: user?.emailConfirmed ?? false,
    shouldChangePasswordOnNextLogin: user?.shouldChangePasswordOnNextLogin ?? true,
    roleNames: [...(user?.roleNames ?? [])].sort(),
    organizationUnitIds: [...unitIds].sort(),
    concurrencyStamp: user?.concurrencyStamp ?? '',
  }
}

function UserForm({
  user,
  unitIds,
  onClose,
}: {
  readonly user: User | undefined
  readonly unitIds: readonly string[]
  readonly onClose: () => void
}) {
  const { t, may } = useApplication()
  const tell = useTell()
  const { users } = platform.identity
  const { run } = useMutation(platform.identity.roles.getList, platform.identity.organizationUnits.getList)
  const mayRoles = may(IdentityUserPermissions.ManageRoles)
  const mayUnits = may(IdentityUserPermissions.ManageOrganizationUnits)
  const assignable = useQueryWhen(mayRoles, users.getAssignableRoles)
  const available = useQueryWhen(mayUnits, users.getAvailableOrganizationUnits)
  const own = useOwnFields('Identity.User')
  const form = useForm<UserValues & Record<string, unknown>>({
    draft: `user:${user?.id ?? 'new'}`,
    initial: { ...valuesOf(user, unitIds), ...own.valuesOf(user) },
    fieldOfCode: {
      DuplicateUserName: 'userName',
      InvalidUserName: 'userName',
      UserNameChangeDisabled: 'userName',
      DuplicateEmail: 'email',
      EmailChangeDisabled: 'email',
      Password: 'password',
      RoleNotAssignable: 'roleNames',
      LastAdministrator: 'roleNames',
    },
    async save(values) {
      const read = own.inputOf(values)
      const { password, concurrencyStamp, roleNames, organizationUnitIds, ...fields } = read
      const input = {
        ...fields,
        ...(mayRoles && { roleNames }),
        ...(mayUnits && { organizationUnitIds }),
      }
      if (user) await run(users.update, user.id, { ...input, concurrencyStamp })
      else await run(users.create, { ...input, password })
      tell(t('AbpUi::SavedSuccessfully'))
      onClose()
    },
  })
  const unitNames = (ids: readonly string[] = []) =>
    ids.map((id) => available.data?.items.find((unit) => unit.id === id)?.displayName ?? id).join(', ')
  const mayChange = may(user ? IdentityUserPermissions.Update : IdentityUserPermissions.Create)
  return (
    <fieldset disabled={!mayChange} style={{ border: 0, padding: 0, margin: 0 }}>
      <FormBody form={form} onCancel={onClose}>
        <TextInput
          label={t('AbpIdentity::UserName')}
          required
          autoComplete="off"
          data-autofocus
          {...form.text('userName')}
        />
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput label={t('AbpIdentity::DisplayName:Name')} {...form.text('name')} />
          <TextInput label={t('AbpIdentity::DisplayName:Surname')} {...form.text('surname')} />
          <TextInput label={t('AbpIdentity::EmailAddress')} type="email" required {...form.text('email')} />
          <TextInput label={t('AbpIdentity::PhoneNumber')} type="tel" {...form.text('phoneNumber')} />
        </SimpleGrid>
        {!user && (
          <PasswordInput
            label={t('AbpIdentity::Password')}
            required
            autoComplete="new-password"
            styles={{ error: { whiteSpace: 'pre-line' } }}
            visibilityToggleButtonProps={{ 'aria-label': t('ShowPassword') }}
            {...form.text('password')}
          />
        )}
        {mayRoles && (
          <MultiSelect
            label={t('AbpIdentity::Roles')}
            searchable
            hidePickedOptions
            data={names(
              form.values.roleNames,
              assignable.data?.items.map(({ name }) => name),
            )}
            value={form.values.roleNames}
            error={form.errorOf('roleNames')}
            onChange={(roleNames) => form.set('roleNames', [...roleNames].sort())}
          />
        )}
        {mayUnits && (
          <MultiSelect
            label={t('AbpIdentity::OrganizationUnits')}
            searchable
            hidePickedOptions
            placeholder={available.data?.items.length === 0 ? t('NoUnits') : ''}
            data={available.data?.items.map((unit) => ({ value: unit.id, label: unit.displayName })) ?? []}
            value={form.values.organizationUnitIds}
            error={form.errorOf('organizationUnitIds')}
            onChange={(ids) => form.set('organizationUnitIds', [...ids].sort())}
          />
        )}
        <Fields form={form} fields={own.fields} />
        <Switch label={t('Active')} description={t('ActiveHint')} {...form.check('isActive')} />
        <Checkbox label={t('AbpIdentity::DisplayName:LockoutEnabled')} {...form.check('lockoutEnabled')} />
        <Checkbox label={t('AbpIdentity::DisplayName:EmailConfirmed')} {...form.check('emailConfirmed')} />
        <Checkbox
          label={t('AbpIdentity::DisplayName:ShouldChangePasswordOnNextLogin')}
          {...form.check('shouldChangePasswordOnNextLogin')}
        />
      </FormBody>
      {user && (
        <ConflictDialog
          form={form}
          loadTheirs={async () => {
            const [theirs, units] = await Promise.all([
              users.get(user.id),
              users.getOrganizationUnits(user.id),
            ])
            const ids = units.map((unit) => unit.id)
            return { ...valuesOf(theirs, ids), ...own.valuesOf(theirs) }
          }}
          titles={{
            userName: t('AbpIdentity::UserName'),
            name: t('AbpIdentity::DisplayName:Name'),
            surname: t('AbpIdentity::DisplayName:Surname'),
            email: t('AbpIdentity::EmailAddress'),
            phoneNumber: t('AbpIdentity::PhoneNumber'),
            isActive: t('Active'),
            lockoutEnabled: t('AbpIdentity::DisplayName:LockoutEnabled'),
            emailConfirmed: t('AbpIdentity::DisplayName:EmailConfirmed'),
            shouldChangePasswordOnNextLogin: t('AbpIdentity::DisplayName:ShouldChangePasswordOnNextLogin'),
            roleNames: t('AbpIdentity::Roles'),
            ...(mayUnits && { organizationUnitIds: t('AbpIdentity::OrganizationUnits') }),
            ...Object.fromEntries(own.fields.map(({ name, label }) => [name, label])),
          }}
          wordsOf={(name, value) =>
            name === 'organizationUnitIds' ? unitNames(value as readonly string[] | undefined) : undefined
          }
        />
      )}
    </fieldset>
  )
}

/** The names to choose from, with those that the user has and the caller may not give. */
function names(held: readonly string[], offered: readonly string[] = []): string[] {
  return [...new Set([...offered, ...held])].sort()
}

function UserSessions({ user }: { readonly user: User }) {
  const { t } = useApplication()
  const { sessions } = platform.identity
  const { run } = useMutation()
  const [isLeaving, leave] = useState(false)
  const list = useQuery(sessions.getList, { userId: user.id, maxResultCount: 100 })
  if (list.error) return <ErrorAlert error={list.error} retry={() => void list.refetch()} />
  if (!list.data) return <Skeleton height={120} />
  if (list.data.items.length === 0) return <EmptyState icon="device" title={t('NoSessions')} />
  return (
    <Stack>
      {list.data.items.map((session) => (
        <SessionRow key={session.id} session={session} end={() => run(sessions.revoke, session.id)} />
      ))}
      <Button color="red" variant="light" onClick={() => leave(true)}>
        {t('SignOutEverywhere')}
      </Button>
      {isLeaving && <SignOutDialog user={user} onClose={() => leave(false)} />}
    </Stack>
  )
}
