import '../styles-of-fields.js'
import type { IdentityUserDto } from '@keel/platform-proxy'
import { useMutation, useQuery } from '@keel/react'
import { Checkbox, PasswordInput, Select, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useApplication } from '../application.js'
import { platform } from '../clients.js'
import { Confirm } from './confirm.js'
import { Dialog } from './dialog.js'
import { FormBody, useForm } from './form.js'
import { useTell } from './notices.js'

type User = InstanceType<typeof IdentityUserDto>

interface DialogProps {
  readonly user: User
  readonly onClose: () => void
}

/** Gives a user another password; every session of theirs ends. */
export function PasswordDialog({ user, onClose }: DialogProps) {
  const { t } = useApplication()
  const tell = useTell()
  const { run } = useMutation()
  const { users } = platform.identity
  const form = useForm({
    draft: `password:${user.id}`,
    initial: { newPassword: '', mustChange: true },
    fieldOfCode: { Password: 'newPassword' },
    async save({ newPassword, mustChange }) {
      await run(users.updatePassword, user.id, { newPassword })
      if (mustChange !== user.shouldChangePasswordOnNextLogin) {
        const { userName, email, name, surname, phoneNumber } = user
        await run(users.update, user.id, {
          userName,
          email,
          name,
          surname,
          phoneNumber,
          shouldChangePasswordOnNextLogin: mustChange,
        })
      }
      tell(t('PasswordSet', { name: user.userName }))
      onClose()
    },
  })
  return (
    <Dialog title={`${t('SetPassword')}: ${user.userName}`} onClose={onClose}>
      <FormBody form={form} onCancel={onClose}>
        <Text size="sm" c="dimmed">
          {t('SetPasswordHint')}
        </Text>
        <PasswordInput
          label={t('AbpIdentity::DisplayName:NewPassword')}
          autoComplete="new-password"
          data-autofocus
          required
          styles={{ error: { whiteSpace: 'pre-line' } }}
          visibilityToggleButtonProps={{ 'aria-label': t('ShowPassword') }}
          {...form.text('newPassword')}
        />
        <Checkbox
          label={t('AbpIdentity::DisplayName:ShouldChangePasswordOnNextLogin')}
          {...form.check('mustChange')}
        />
      </FormBody>
    </Dialog>
  )
}

const hourMs = 3_600_000
const spans = { hour: hourMs, day: 24 * hourMs, week: 7 * 24 * hourMs, year: 365 * 24 * hourMs }

/** Locks a user out for a time. */
export function LockDialog({ user, onClose }: DialogProps) {
  const { t, formatInstant } = useApplication()
  const tell = useTell()
  const { run } = useMutation()
  const [span, setSpan] = useState<keyof typeof spans>('day')
  return (
    <Confirm
      title={`${t('Lock')}: ${user.userName}`}
      action={t('Lock')}
      onConfirm={async () => {
        const end = new Date(Date.now() + spans[span])
        await run(platform.identity.users.lock, user.id, end)
        tell(t('LockedUntil', { name: user.userName, time: formatInstant(end) }))
      }}
      onClose={onClose}
    >
      <Stack>
        <Text size="sm">{t('LockHint')}</Text>
        <Select
          label={t('HowLong')}
          allowDeselect={false}
          data={Object.keys(spans).map((value) => ({ value, label: t(`Span:${value}`) }))}
          value={span}
          onChange={(value) => value && setSpan(value as keyof typeof spans)}
        />
      </Stack>
    </Confirm>
  )
}

/** Signs a user out of all sessions. */
export function SignOutDialog({ user, onClose }: DialogProps) {
  const { t, formatNumber } = useApplication()
  const tell = useTell()
  const { run } = useMutation()
  const { sessions } = platform.identity
  const { data } = useQuery(sessions.getList, { userId: user.id, maxResultCount: 1 })
  return (
    <Confirm
      title={t('SignOutEverywhere')}
      action={t('SignOutEverywhere')}
      onConfirm={async () => {
        await run(sessions.revokeAll, user.id)
        tell(t('SignedOutEverywhere', { name: user.userName }))
      }}
      onClose={onClose}
    >
      {t('SignOutHint', { name: user.userName, count: data ? formatNumber(data.totalCount) : '…' })}
    </Confirm>
  )
}
