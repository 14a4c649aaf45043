import '../styles-of-fields.js'
import { IdentityUserPermissions } from '@keel/platform-proxy'
import { useInfiniteList, useMutation, useQueryWhen } from '@keel/react'
import { ActionIcon, Button, Group, MultiSelect, Stack, TagsInput, Text, Title } from '@mantine/core'
import { useApplication } from '../application.js'
import { platform } from '../clients.js'
import { useQuestion } from './confirm.js'
import { Drawer } from './drawer.js'
import { FormBody, useForm } from './form.js'
import { Icon } from './icons.js'
import { useAct, useTell } from './notices.js'
import { TakeBackButton } from './remove-button.js'
import { EmptyState, ErrorAlert } from './states.js'

/** Invites people by mail, and shows who was invited and has not come yet. */
export function Invitations({ onClose }: { readonly onClose: () => void }) {
  const { t } = useApplication()
  return (
    <Drawer onClose={onClose} size="lg" title={t('Invitations')}>
      <Stack gap="lg">
        <InviteForm />
        <Pending />
      </Stack>
    </Drawer>
  )
}

function InviteForm() {
  const { t, may } = useApplication()
  const tell = useTell()
  const { users } = platform.identity
  const { run } = useMutation()
  const mayRoles = may(IdentityUserPermissions.ManageRoles)
  const roles = useQueryWhen(mayRoles, users.getAssignableRoles)
  const form = useForm({
    draft: 'invitation',
    initial: { emailAddress: [] as string[], assignedRoles: [] as string[] },
    fieldOfCode: {
      DuplicateEmail: 'emailAddress',
      RoleNotAssignable: 'assignedRoles',
      TooManyInvitations: 'emailAddress',
    },
    async save({ emailAddress, assignedRoles }) {
      const { newInvitations, resentInvitations } = await run(users.inviteUsers, {
        emailAddress,
        ...(assignedRoles.length > 0 && { assignedRoles }),
      })
      tell(t('Invited', { fresh: newInvitations, again: resentInvitations }))
      form.reset({ emailAddress: [], assignedRoles: [] })
    },
  })
  return (
    <FormBody form={form} submitText={t('Invite')}>
      <TagsInput
        label={t('AbpIdentity::EmailAddress')}
        description={t('InviteHint')}
        required
        acceptValueOnBlur
        value={form.values.emailAddress}
        error={form.errorOf('emailAddress')}
        onChange={(next) => form.set('emailAddress', next)}
      />
      {mayRoles && (
        <MultiSelect
          label={t('AbpIdentity::Roles')}
          searchable
          hidePickedOptions
          data={roles.data?.items.map(({ name }) => name) ?? []}
          value={form.values.assignedRoles}
          error={form.errorOf('assignedRoles')}
          onChange={(next) => form.set('assignedRoles', next)}
        />
      )}
    </FormBody>
  )
}

function Pending() {
  const { t, formatInstant, formatNumber } = useApplication()
  const { users } = platform.identity
  const list = useInfiniteList(users.getPendingInvitations, {})
  const { run } = useMutation()
  const act = useAct()
  const { ask, question } = useQuestion()
  if (list.error) return <ErrorAlert error={list.error} retry={list.refetch} />
  if (list.rows.length === 0)
    return list.isLoading ? null : <EmptyState icon="mail" title={t('NoInvitations')} />
  return (
    <Stack gap="xs">
      <Title order={2}>{t('PendingInvitations', { count: list.totalCount })}</Title>
      {list.rows.map(({ id, inviteeEmail, invitationDate, assignedRoles }) => (
        <Group key={id} justify="space-between" wrap="nowrap">
          <Stack gap={0} style={{ minWidth: 0 }}>
            <Text size="sm" fw={550} truncate>
              {inviteeEmail}
            </Text>
            <Text size="xs" c="dimmed">
              {[formatInstant(invitationDate), ...assignedRoles].join(' · ')}
            </Text>
          </Stack>
          <Group gap={4} wrap="nowrap">
            <ActionIcon
              variant="subtle"
              aria-label={`${t('SendAgain')}: ${inviteeEmail}`}
              title={t('SendAgain')}
              onClick={() =>
                act(run(users.resendInvitation, { id }), t('AbpSettingManagement::SentSuccessfully'))
              }
            >
              <Icon name="refresh" />
            </ActionIcon>
            <TakeBackButton email={inviteeEmail} takeBack={() => run(users.cancelInvitation, id)} />
          </Group>
        </Group>
      ))}
      <Group>
        {list.rows.length < list.totalCount && (
          <Button variant="default" loading={list.isFetchingMore} onClick={list.fetchMore}>
            {t('LoadMore')}
          </Button>
        )}
        <Button
          variant="light"
          color="red"
          onClick={() =>
            ask({
              action: t('TakeAllBack'),
              words: t('TakeAllBackHint', { count: formatNumber(list.totalCount) }),
              run: () => run(users.cancelAllPendingInvitations),
              done: t('AbpUi::DeletedSuccessfully'),
            })
          }
        >
          {t('TakeAllBack')}
        </Button>
      </Group>
      {question}
    </Stack>
  )
}
