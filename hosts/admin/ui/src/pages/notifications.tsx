import {
  type NotificationDto,
  type NotificationKind,
  NotificationMail,
  NotificationPermissions,
  type NotificationPreferencesDto,
  NotificationSettings,
  NotificationSeverity,
  notificationKinds,
} from '@keel/default-proxy'
import { useMutation, useQuery } from '@keel/react'
import { Badge, Button, Skeleton, Text } from '@mantine/core'
import { useApplication } from '../application.js'
import { platform } from '../clients.js'
import type { Column, RowAction } from '../parts/data-list.js'
import { Dialog } from '../parts/dialog.js'
import { enumOptions, type Field, Fields } from '../parts/fields.js'
import type { Filter } from '../parts/filters.js'
import { FormBody, useForm } from '../parts/form.js'
import { Icon } from '../parts/icons.js'
import { ListPage } from '../parts/list-page.js'
import { useAct, useTell } from '../parts/notices.js'
import { notificationPreferences, notifications } from '../parts/notifications.js'
import { OrganizationSelect } from '../parts/organizations.js'
import { ErrorAlert } from '../parts/states.js'
import { useUrlState } from '../parts/url-state.js'

type Notification = InstanceType<typeof NotificationDto>
type Preferences = InstanceType<typeof NotificationPreferencesDto>
const kindKey = (kind: string) => `Core::NotificationKind:${kind}`

const colors: Readonly<Record<NotificationSeverity, string>> = {
  [NotificationSeverity.Information]: 'blue',
  [NotificationSeverity.Warning]: 'orange',
  [NotificationSeverity.Error]: 'red',
}

/** What happened, for the person who is signed in, and what they want to be told. */
export function Page() {
  const { t, may, formatInstant, host } = useApplication()
  const [url, setUrl] = useUrlState()
  const act = useAct()
  const { run } = useMutation()
  const kinds = notificationKinds.map((kind) => ({ value: kind, label: t(kindKey(kind)) }))
  const filters: readonly Filter[] = [
    {
      name: 'isRead',
      title: 'Core::DisplayName:Notification:IsRead',
      kind: 'flag',
      options: [
        { value: 'false', label: t('Inbox:OnlyUnread') },
        { value: 'true', label: t('Inbox:OnlyRead') },
      ],
    },
    { name: 'kind', title: 'Core::DisplayName:Notification:Kind', kind: 'choice', options: kinds },
  ]
  const columns: Column<Notification>[] = [
    {
      id: 'title',
      title: 'Core::DisplayName:Notification:Title',
      isEssential: true,
      cell: ({ title, isRead }) => (
        <Text span size="sm" fw={isRead ? 400 : 650}>
          {title}
        </Text>
      ),
    },
    {
      id: 'severity',
      title: 'Core::DisplayName:Notification:Severity',
      cell: ({ severity }) => (
        <Badge variant="light" color={colors[severity]}>
          {t(`Core::Enum:NotificationSeverity.${severity}`)}
        </Badge>
      ),
    },
    { id: 'kind', title: 'Core::DisplayName:Notification:Kind', cell: ({ kind }) => t(kindKey(kind)) },
    {
      id: 'time',
      title: 'AbpUi::DisplayName:CreationTime',
      isEssential: true,
      cell: ({ creationTime }) => formatInstant(creationTime),
    },
    {
      id: 'readTime',
      title: 'Core::DisplayName:Notification:ReadTime',
      isExtra: true,
      cell: ({ readTime }) => formatInstant(readTime),
    },
  ]
  const actions: RowAction<Notification>[] = [
    {
      title: 'Inbox:MarkRead',
      icon: 'check',
      isShown: ({ isRead }) => !isRead,
      run: ({ id }) => act(run(notifications.markRead, id), t('Inbox:MarkedRead')),
    },
  ]
  return (
    <ListPage
      title="Inbox:Notifications"
      hint="Inbox:Hint"
      icon="bell"
      emptyHint="Inbox:EmptyHint"
      list={notifications.getList}
      columns={columns}
      filters={filters}
      isSearchable={false}
      actions={actions}
      commands={
        <>
          {may(NotificationPermissions.Broadcast) && (
            <Button leftSection={<Icon name="mail" />} onClick={() => setUrl({ broadcast: 'new' }, true)}>
              {t('Broadcast:Send')}
            </Button>
          )}
          <Button
            variant="default"
            leftSection={<Icon name="gear" />}
            onClick={() => setUrl({ preferences: 'open' }, true)}
          >
            {t('Inbox:Preferences')}
          </Button>
          <Button
            variant="default"
            leftSection={<Icon name="check" />}
            onClick={() => act(run(notifications.markAllRead), t('Inbox:MarkedAllRead'))}
          >
            {t('Inbox:MarkAllRead')}
          </Button>
        </>
      }
      removal={{
        call: notifications.delete,
        warn: ({ title }) =>
          t('Inbox:DeleteHint', {
            title,
            days: host.setting.values[NotificationSettings.RetentionDays.name] ?? '',
          }),
      }}
    >
      {url['broadcast'] && <BroadcastDialog onClose={() => setUrl({ broadcast: undefined })} />}
      {url['preferences'] && <PreferencesDialog onClose={() => setUrl({ preferences: undefined })} />}
    </ListPage>
  )
}

/** Writes a message to all users, a role or an organization. */
function BroadcastDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useApplication()
  const tell = useTell()
  const { run } = useMutation()
  const roles = useQuery(platform.identity.users.getRoleLookup)
  const form = useForm({
    draft: 'broadcast',
    initial: {
      title: '',
      severity: NotificationSeverity.Information as NotificationSeverity,
      audience: 'Everybody' as string | null,
      roleName: null as string | null,
      organizationId: null as string | null,
    },
    fieldOfCode: { NoSuchRole: 'roleName' },
    async save({ title, severity, audience, roleName, organizationId }) {
      await run(notifications.broadcast, {
        title,
        severity,
        ...(audience === 'Role' && { roleName }),
        ...(audience === 'Organization' && { organizationId }),
      })
      tell(t('Broadcast:Sent'))
      onClose()
    },
  })
  const fields: readonly Field<typeof form.values>[] = [
    { name: 'title', title: 'Broadcast:Title', kind: 'area', isRequired: true },
    {
      name: 'audience',
      title: 'Broadcast:Audience',
      kind: 'choice',
      isRequired: true,
      options: ['Everybody', 'Role', 'Organization'].map((value) => ({
        value,
        label: t(`Broadcast:${value}`),
      })),
    },
    {
      name: 'severity',
      title: 'Core::DisplayName:Notification:Severity',
      kind: 'enum',
      isRequired: true,
      options: enumOptions(t, 'Core::Enum:NotificationSeverity', NotificationSeverity),
    },
    {
      name: 'roleName',
      title: 'Broadcast:Role',
      kind: 'choice',
      isRequired: true,
      options: roles.data?.map(({ name }) => ({ value: name, label: name })) ?? [],
      isShown: ({ audience }) => audience === 'Role',
    },
    {
      name: 'organizationId',
      title: 'Broadcast:Organization',
      kind: 'pick',
      pick: OrganizationSelect,
      isRequired: true,
      isShown: ({ audience }) => audience === 'Organization',
    },
  ]
  return (
    <Dialog title={t('Broadcast:Send')} onClose={onClose}>
      <FormBody form={form} onCancel={onClose} submitText={t('Broadcast:Send')}>
        <Text size="sm" c="dimmed">
          {t('Broadcast:Hint')}
        </Text>
        <Fields form={form} fields={fields} />
      </FormBody>
    </Dialog>
  )
}

function PreferencesDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useApplication()
  const stored = useQuery(notificationPreferences.get)
  return (
    <Dialog size="lg" title={t('Inbox:Preferences')} onClose={onClose}>
      {stored.error && <ErrorAlert error={stored.error} retry={() => void stored.refetch()} />}
      {stored.isPending && <Skeleton height={280} />}
      {stored.data && <PreferencesForm stored={stored.data} onClose={onClose} />}
    </Dialog>
  )
}

/** Not subscribed to a kind. */
const off = 'off'
/** Messages of administrators are in every inbox. */
const unsubscribed = (kind: NotificationKind) => (kind === 'Broadcast' ? NotificationMail.None : off)

function PreferencesForm({
  stored,
  onClose,
}: {
  readonly stored: Preferences
  readonly onClose: () => void
}) {
  const { t } = useApplication()
  const tell = useTell()
  const { run } = useMutation()
  const mailOf = (kind: NotificationKind) => stored.subscriptions.find((one) => one.kind === kind)?.mail
  const initial: Record<string, string> = {
    ...Object.fromEntries(
      notificationKinds.map((kind) => [kind, String(mailOf(kind) ?? unsubscribed(kind))]),
    ),
    quietFrom: stored.quietFrom ?? '',
    quietUntil: stored.quietUntil ?? '',
    digestTime: stored.digestTime,
  }
  const options = [
    { value: off, label: t('Inbox:Off') },
    ...enumOptions(t, 'Core::Enum:NotificationMail', NotificationMail),
  ]
  const fields: readonly Field<typeof initial>[] = [
    ...notificationKinds.map(
      (kind): Field<typeof initial> => ({
        name: kind,
        title: kindKey(kind),
        kind: 'choice',
        options: kind === 'Broadcast' ? options.filter(({ value }) => value !== off) : options,
        isRequired: true,
      }),
    ),
    { name: 'digestTime', title: 'Inbox:DigestTime', kind: 'time', isRequired: true },
    { name: 'quietFrom', title: 'Inbox:QuietFrom', kind: 'time' },
    { name: 'quietUntil', title: 'Inbox:QuietUntil', kind: 'time' },
  ]
  const form = useForm({
    draft: 'notification-preferences',
    initial,
    async save(values) {
      await run(notificationPreferences.update, {
        subscriptions: notificationKinds
          .filter((kind) => values[kind] !== String(unsubscribed(kind)))
          .map((kind) => ({ kind, mail: Number(values[kind]) as NotificationMail })),
        quietFrom: values['quietFrom'] || null,
        quietUntil: values['quietUntil'] || null,
        digestTime: values['digestTime'] ?? stored.digestTime,
      })
      tell(t('AbpUi::SavedSuccessfully'))
      onClose()
    },
  })
  return (
    <FormBody form={form} onCancel={onClose}>
      <Text size="sm" c="dimmed">
        {t('Inbox:PreferencesHint')}
      </Text>
      <Fields form={form} fields={fields} />
    </FormBody>
  )
}
