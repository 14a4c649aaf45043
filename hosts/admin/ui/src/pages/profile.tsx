import '../styles-of-fields.js'
import type { ProfileDto } from '@keel/platform-proxy'
import { useMutation, useQuery } from '@keel/react'
import { Card, PasswordInput, Select, SimpleGrid, Skeleton, Stack, TextInput, Title } from '@mantine/core'
import { useApplication } from '../application.js'
import { platform } from '../clients.js'
import { Fields } from '../parts/fields.js'
import { ConflictDialog, FormBody, useForm } from '../parts/form.js'
import { useTell } from '../parts/notices.js'
import { OwnData } from '../parts/own-data.js'
import { useOwnFields } from '../parts/own-fields.js'
import { PageHead } from '../parts/page-head.js'
import { SessionRow } from '../parts/session-words.js'
import { ErrorAlert } from '../parts/states.js'

type Profile = InstanceType<typeof ProfileDto>

/** The person's own names, password and sessions. */
export function Page() {
  const { t } = useApplication()
  const profile = useQuery(platform.account.profile.get)
  return (
    <Stack maw={860}>
      <PageHead title={t('MyProfile')} hint={t('MyProfileHint')} />
      {profile.error && <ErrorAlert error={profile.error} retry={() => void profile.refetch()} />}
      {profile.isPending && <Skeleton height={300} />}
      {profile.data && (
        <>
          <Card withBorder>
            <ProfileForm profile={profile.data} />
          </Card>
          {!profile.data.isExternal && (
            <Card withBorder>
              <PasswordForm profile={profile.data} />
            </Card>
          )}
          <Card withBorder>
            <OwnSessions />
          </Card>
          <Card withBorder>
            <OwnData />
          </Card>
        </>
      )}
    </Stack>
  )
}

function valuesOf(profile: Profile) {
  return {
    userName: profile.userName,
    email: profile.email,
    name: profile.name ?? '',
    surname: profile.surname ?? '',
    phoneNumber: profile.phoneNumber ?? '',
    timezone: profile.timezone,
    concurrencyStamp: profile.concurrencyStamp,
  }
}

function ProfileForm({ profile }: { readonly profile: Profile }) {
  const { t } = useApplication()
  const tell = useTell()
  const { profile: service } = platform.account
  const { run } = useMutation(platform.application.configuration.get)
  const zones = useQuery(service.getTimezones)
  const own = useOwnFields('Identity.User')
  const shown = (one: Profile) => ({ ...valuesOf(one), ...own.valuesOf(one) })
  const form = useForm<ReturnType<typeof valuesOf> & Record<string, unknown>>({
    draft: 'profile',
    initial: shown(profile),
    fieldOfCode: {
      DuplicateUserName: 'userName',
      InvalidUserName: 'userName',
      UserNameChangeDisabled: 'userName',
      DuplicateEmail: 'email',
      EmailChangeDisabled: 'email',
    },
    async save(values) {
      const { timezone, ...names } = own.inputOf(values)
      const saved = await run(service.update, {
        ...names,
        ...(profile.supportsMultipleTimezone && { timezone }),
      })
      form.reset(shown(saved))
      tell(t('AbpUi::SavedSuccessfully'))
    },
  })
  return (
    <>
      <FormBody form={form}>
        <Title order={2}>{t('AbpIdentity::PersonalSettings')}</Title>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput
            label={t('AbpIdentity::UserName')}
            required
            autoComplete="username"
            {...form.text('userName')}
          />
          <TextInput
            label={t('AbpIdentity::EmailAddress')}
            type="email"
            required
            autoComplete="email"
            {...form.text('email')}
          />
          <TextInput
            label={t('AbpIdentity::DisplayName:Name')}
            autoComplete="given-name"
            {...form.text('name')}
          />
          <TextInput
            label={t('AbpIdentity::DisplayName:Surname')}
            autoComplete="family-name"
            {...form.text('surname')}
          />
          <TextInput
            label={t('AbpIdentity::PhoneNumber')}
            type="tel"
            autoComplete="tel"
            {...form.text('phoneNumber')}
          />
          {profile.supportsMultipleTimezone && (
            <Select
              label={t('TimeZone')}
              searchable
              limit={60}
              data={zones.data?.map(({ name, value }) => ({ value, label: name })) ?? []}
              value={form.values.timezone}
              error={form.errorOf('timezone')}
              onChange={(zone) => zone && form.set('timezone', zone)}
            />
          )}
        </SimpleGrid>
        <Fields form={form} fields={own.fields} />
      </FormBody>
      <ConflictDialog
        form={form}
        loadTheirs={async () => shown(await service.get())}
        titles={{
          userName: t('AbpIdentity::UserName'),
          email: t('AbpIdentity::EmailAddress'),
          name: t('AbpIdentity::DisplayName:Name'),
          surname: t('AbpIdentity::DisplayName:Surname'),
          phoneNumber: t('AbpIdentity::PhoneNumber'),
          ...(profile.supportsMultipleTimezone && { timezone: t('TimeZone') }),
          ...Object.fromEntries(own.fields.map(({ name, label }) => [name, label])),
        }}
      />
    </>
  )
}

function PasswordForm({ profile }: { readonly profile: Profile }) {
  const { t } = useApplication()
  const tell = useTell()
  const { run } = useMutation()
  const form = useForm({
    draft: 'own-password',
    initial: { currentPassword: '', newPassword: '' },
    fieldOfCode: { PasswordMismatch: 'currentPassword', Password: 'newPassword' },
    async save({ currentPassword, newPassword }) {
      await run(platform.account.profile.changePassword, {
        newPassword,
        ...(profile.hasPassword && { currentPassword }),
      })
      form.reset({ currentPassword: '', newPassword: '' })
      tell(t('AbpUi::SavedSuccessfully'))
    },
  })
  const show = { 'aria-label': t('ShowPassword') }
  return (
    <FormBody form={form} submitText={t('AbpUi::ChangePassword')}>
      <Title order={2}>{t('AbpUi::ChangePassword')}</Title>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {profile.hasPassword && (
          <PasswordInput
            label={t('AbpIdentity::DisplayName:CurrentPassword')}
            autoComplete="current-password"
            required
            visibilityToggleButtonProps={show}
            {...form.text('currentPassword')}
          />
        )}
        <PasswordInput
          label={t('AbpIdentity::DisplayName:NewPassword')}
          autoComplete="new-password"
          required
          styles={{ error: { whiteSpace: 'pre-line' } }}
          visibilityToggleButtonProps={show}
          {...form.text('newPassword')}
        />
      </SimpleGrid>
    </FormBody>
  )
}

function OwnSessions() {
  const { t } = useApplication()
  const { sessions } = platform.account
  const list = useQuery(sessions.getList, { maxResultCount: 100 })
  const { run } = useMutation()
  return (
    <Stack gap="xs">
      <Title order={2}>{t('AbpIdentity::Sessions')}</Title>
      {list.error && <ErrorAlert error={list.error} retry={() => void list.refetch()} />}
      {list.data?.items.map((session) => (
        <SessionRow
          key={session.id}
          session={session}
          end={!session.isCurrent && (() => run(sessions.revoke, session.id))}
        />
      ))}
    </Stack>
  )
}
