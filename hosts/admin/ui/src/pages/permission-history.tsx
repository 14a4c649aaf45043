import { GrantChangeCause, GrantChangeKind, type PermissionGrantChangeDto } from '@keel/platform-proxy'
import { useQuery } from '@keel/react'
import { Badge, Group, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useApplication } from '../application.js'
import { platform } from '../clients.js'
import type { Column } from '../parts/data-list.js'
import { Drawer } from '../parts/drawer.js'
import type { Filter } from '../parts/filters.js'
import { ListPage } from '../parts/list-page.js'
import { EmptyState, ErrorAlert } from '../parts/states.js'
import { useUrlState } from '../parts/url-state.js'
import { UserName } from '../parts/user-names.js'

type Change = InstanceType<typeof PermissionGrantChangeDto>
const text = (key: string) => `AbpPermissionManagement::${key}`
const common = (key: string) => `AbpUi::DisplayName:${key}`
const colours = { Granted: 'teal', Revoked: 'gray', Prohibited: 'red', Allowed: 'indigo' } as const

/** Every change of a grant: which permission, whose, when and by whom; and what a holder had at a moment. */
export function Page() {
  const { t, formatInstant } = useApplication()
  const [url, setUrl] = useUrlState()
  const words = (name: string, enumeration: Readonly<Record<string, string | number>>) =>
    Object.entries(enumeration)
      .filter(([, value]) => typeof value === 'number')
      .map(([value, number]) => ({ value, label: t(text(`Enum:${name}.${number}`)) }))
  const filters: readonly Filter[] = [
    { name: 'permissionName', title: common('PermissionName'), kind: 'text' },
    {
      name: 'kind',
      title: text('DisplayName:Kind'),
      kind: 'choice',
      options: words('GrantChangeKind', GrantChangeKind),
    },
    {
      name: 'providerName',
      title: common('ProviderName'),
      kind: 'choice',
      options: ['U', 'R', 'C', 'AK'].map((value) => ({
        value,
        label: t(text(`PermissionManagement:Provider:${value}`)),
      })),
      isExtra: true,
    },
    { name: 'providerKey', title: common('ProviderKey'), kind: 'text', isExtra: true },
    {
      name: 'cause',
      title: text('DisplayName:Cause'),
      kind: 'choice',
      options: words('GrantChangeCause', GrantChangeCause),
      isExtra: true,
    },
    { name: 'startTime', title: 'AbpAuditLogging::StartTime', kind: 'instant', isExtra: true },
    { name: 'endTime', title: 'AbpAuditLogging::EndTime', kind: 'instant', isExtra: true },
  ]
  const columns: Column<Change>[] = [
    {
      id: 'time',
      title: common('ChangeTime'),
      sort: 'changeTime',
      isEssential: true,
      cell: ({ changeTime }) => formatInstant(changeTime),
    },
    { id: 'kind', title: text('DisplayName:Kind'), cell: ({ kind }) => <Kind kind={kind} /> },
    {
      id: 'permission',
      title: common('PermissionName'),
      sort: 'permissionName',
      isEssential: true,
      cell: ({ permissionName }) => permissionName,
    },
    {
      id: 'holder',
      title: common('ProviderKey'),
      isEssential: true,
      cell: (change) => <Holder of={change} />,
    },
    {
      id: 'author',
      title: 'ChangedBy',
      sort: 'userName',
      cell: ({ userName }) => userName ?? t('TheProgram'),
    },
    {
      id: 'cause',
      title: text('DisplayName:Cause'),
      isExtra: true,
      cell: ({ cause }) => t(text(`Enum:GrantChangeCause.${GrantChangeCause[cause]}`)),
    },
    { id: 'client', title: common('ClientId'), isExtra: true, cell: ({ clientId }) => clientId },
  ]
  const [providerName, providerKey, time] = url['state']?.split('|') ?? []
  return (
    <ListPage
      title="PermissionHistory"
      hint="PermissionHistoryHint"
      icon="history"
      emptyHint="NoGrantChanges"
      views="PermissionGrantChanges"
      list={platform.permissions.history.getList}
      columns={columns}
      filters={filters}
      isSearchable={false}
      onOpen={(change) =>
        setUrl(
          { state: `${change.providerName}|${change.providerKey}|${change.changeTime.toISOString()}` },
          true,
        )
      }
    >
      {providerName && providerKey && time && (
        <StateDrawer
          holder={{ providerName, providerKey }}
          time={time}
          onClose={() => setUrl({ state: undefined })}
        />
      )}
    </ListPage>
  )
}

function Kind({ kind }: { readonly kind: Change['kind'] }) {
  const { t } = useApplication()
  return (
    <Badge variant="light" color={colours[kind]}>
      {t(text(`Enum:GrantChangeKind.${GrantChangeKind[kind]}`))}
    </Badge>
  )
}

function Holder({ of }: { readonly of: Pick<Change, 'providerName' | 'providerKey'> }) {
  const { t } = useApplication()
  return (
    <>
      {t(text(`PermissionManagement:Provider:${of.providerName}`))}{' '}
      {of.providerName === 'U' ? <UserName id={of.providerKey} /> : of.providerKey}
    </>
  )
}

/** What a holder was granted and prohibited right after a change. */
function StateDrawer({
  holder,
  time,
  onClose,
}: {
  readonly holder: { readonly providerName: string; readonly providerKey: string }
  readonly time: string
  readonly onClose: () => void
}) {
  const { t, formatInstant } = useApplication()
  const state = useQuery(
    platform.permissions.history.getStateAt,
    new Date(time),
    holder.providerName,
    holder.providerKey,
  )
  const lists = [
    ['Enum:PermissionAnswer.1', state.data?.granted, 'teal'],
    ['Enum:PermissionAnswer.2', state.data?.prohibited, 'red'],
  ] as const
  return (
    <Drawer onClose={onClose} size="lg" title={t('GrantsAt', { time: formatInstant(new Date(time)) })}>
      <Stack>
        <Text size="sm">
          <Holder of={holder} />
        </Text>
        {state.error && <ErrorAlert error={state.error} retry={() => void state.refetch()} />}
        {state.isPending && <Skeleton height={200} />}
        {state.data && state.data.granted.length + state.data.prohibited.length === 0 && (
          <EmptyState icon="shield" title={t('NoOwnGrants')} />
        )}
        {lists.map(
          ([title, names, color]) =>
            names &&
            names.length > 0 && (
              <div key={title}>
                <Title order={2} mb="xs">
                  {t(text(title))} ({names.length})
                </Title>
                <Group gap={4}>
                  {names.map((name) => (
                    <Badge key={name} variant="light" color={color}>
                      {name}
                    </Badge>
                  ))}
                </Group>
              </div>
            ),
        )}
      </Stack>
    </Drawer>
  )
}
