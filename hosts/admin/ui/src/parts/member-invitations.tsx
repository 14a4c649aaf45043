import { useInfiniteList, useMutation } from '@keel/react'
import { ActionIcon, Button, Group, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useApplication } from '../application.js'
import { Dialog } from './dialog.js'
import { enumOptions, type Field, Fields, instantOf } from './fields.js'
import { FormBody, useForm } from './form.js'
import { Icon } from './icons.js'
import { useAct, useTell } from './notices.js'
import { AccessScope, organizationInvitations } from './organizations.js'
import { TakeBackButton } from './remove-button.js'
import { ErrorAlert } from './states.js'

const own = (name: string) => `Hub::DisplayName:OrganizationMember:${name}`

/** The open invitations into an organization: to send, send again and take back. */
export function MemberInvitations({ organizationId }: { readonly organizationId: string }) {
  const { t, formatInstant } = useApplication()
  const [isInviting, invite] = useState(false)
  const { run } = useMutation()
  const act = useAct()
  const list = useInfiniteList(organizationInvitations.getList, { organizationId })
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Title order={3} fz="md">
          {t('PendingInvitations', { count: list.totalCount })}
        </Title>
        <Button variant="default" leftSection={<Icon name="mail" />} onClick={() => invite(true)}>
          {t('InviteByMail')}
        </Button>
      </Group>
      {list.error && <ErrorAlert error={list.error} retry={list.refetch} />}
      {!list.error && !list.isLoading && list.rows.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('NoMemberInvitationsHint')}
        </Text>
      )}
      {list.rows.map(({ id, emailAddress, accessScope, expirationTime }) => (
        <Group key={id} justify="space-between" wrap="nowrap">
          <Stack gap={0} style={{ minWidth: 0 }}>
            <Text size="sm" fw={550} truncate>
              {emailAddress}
            </Text>
            <Text size="xs" c="dimmed">
              {t(`Hub::Enum:AccessScope.${accessScope}`)} · {t('ApiKeys::DisplayName:ExpirationTime')}:{' '}
              {formatInstant(expirationTime)}
            </Text>
          </Stack>
          <Group gap={4} wrap="nowrap">
            <ActionIcon
              variant="subtle"
              aria-label={`${t('SendAgain')}: ${emailAddress}`}
              title={t('SendAgain')}
              onClick={() =>
                act(run(organizationInvitations.resend, id), t('InvitedMember', { email: emailAddress }))
              }
            >
              <Icon name="refresh" />
            </ActionIcon>
            <TakeBackButton email={emailAddress} takeBack={() => run(organizationInvitations.delete, id)} />
          </Group>
        </Group>
      ))}
      {list.rows.length < list.totalCount && (
        <Button variant="default" loading={list.isFetchingMore} onClick={list.fetchMore}>
          {t('LoadMore')}
        </Button>
      )}
      {isInviting && <InviteDialog organizationId={organizationId} onClose={() => invite(false)} />}
    </Stack>
  )
}

function InviteDialog({
  organizationId,
  onClose,
}: {
  readonly organizationId: string
  readonly onClose: () => void
}) {
  const { t } = useApplication()
  const tell = useTell()
  const { run } = useMutation()
  const form = useForm({
    draft: `member-invitation:${organizationId}`,
    initial: { emailAddress: '', accessScope: AccessScope.IncludeChildren as number, validUntil: '' },
    fieldOfCode: { TooManyInvitations: 'emailAddress' },
    async save({ emailAddress, accessScope, validUntil }) {
      await run(organizationInvitations.create, {
        organizationId,
        emailAddress,
        accessScope,
        validUntil: instantOf(validUntil),
      })
      tell(t('InvitedMember', { email: emailAddress }))
      onClose()
    },
  })
  const fields: Field<typeof form.values>[] = [
    {
      name: 'emailAddress',
      title: 'AbpIdentity::EmailAddress',
      kind: 'email',
      isRequired: true,
      hint: 'InviteMemberHint',
    },
    {
      name: 'accessScope',
      title: own('AccessScope'),
      kind: 'enum',
      isRequired: true,
      options: enumOptions(t, 'Hub::Enum:AccessScope', AccessScope),
    },
    { name: 'validUntil', title: own('ValidUntil'), kind: 'instant', hint: 'ValidUntilHint' },
  ]
  return (
    <Dialog title={t('InviteByMail')} onClose={onClose}>
      <FormBody form={form} onCancel={onClose} submitText={t('Invite')}>
        <Fields form={form} fields={fields} />
      </FormBody>
    </Dialog>
  )
}
