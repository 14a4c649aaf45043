import {
  BackgroundWorkPermissions,
  backgroundWorkMembers,
  type EventBoxDto,
  type InboxEventDto,
  InboxEventStatus,
} from '@keel/platform-proxy'
import { useMutation, useQuery } from '@keel/react'
import { Anchor, Badge, Button, Card, Drawer, Skeleton, Table, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useApplication } from '../application.js'
import { openProxy } from '../clients.js'
import { Confirm } from '../parts/confirm.js'
import type { Column, RowAction } from '../parts/data-list.js'
import { Facts } from '../parts/facts.js'
import { enumOptions } from '../parts/fields.js'
import { Icon } from '../parts/icons.js'
import { ListPage } from '../parts/list-page.js'
import { useAct, useTell } from '../parts/notices.js'
import { ErrorAlert } from '../parts/states.js'
import { useUrlState } from '../parts/url-state.js'

type InboxEvent = InstanceType<typeof InboxEventDto>
const { inboxEvents } = openProxy({ inboxEvents: backgroundWorkMembers.inboxEvents })
const text = (key: string) => `BackgroundWork::${key}`
const { Pending, Discarded, Processed } = InboxEventStatus
const colours = { [Pending]: 'gray', [Discarded]: 'red', [Processed]: 'teal' } as const

/** Distributed events at their consumers: what waits in outboxes and inboxes, and the dead letters, to be replayed. */
export function Page() {
  const { t, may, formatInstant } = useApplication()
  const [url] = useUrlState()
  const boxes = useQuery(inboxEvents.getBoxes)
  const [shown, show] = useState<InboxEvent>()
  const [isReplaying, setReplaying] = useState(false)
  const { run } = useMutation()
  const act = useAct()
  const tell = useTell()
  const mayManage = may(BackgroundWorkPermissions.ManageEvents)
  const isDead = ({ status }: InboxEvent) => mayManage && status === Discarded
  const databases = boxes.data?.items.map(({ database }) => database) ?? ['Default']
  const columns: Column<InboxEvent>[] = [
    {
      id: 'event',
      title: text('DisplayName:EventName'),
      sort: 'eventName',
      isEssential: true,
      cell: ({ eventName }) => eventName,
    },
    {
      id: 'consumer',
      title: text('DisplayName:Consumer'),
      sort: 'consumer',
      cell: ({ consumer }) => consumer,
    },
    { id: 'status', title: 'State', isEssential: true, cell: (event) => <Status event={event} /> },
    {
      id: 'created',
      title: 'AbpUi::DisplayName:CreationTime',
      sort: 'creationTime',
      cell: ({ creationTime }) => formatInstant(creationTime),
    },
    { id: 'tries', title: 'Retries', sort: 'retryCount', cell: ({ retryCount }) => retryCount },
    { id: 'error', title: text('DisplayName:LastError'), cell: ({ lastError }) => lastError },
  ]
  const actions: RowAction<InboxEvent>[] = [
    {
      title: 'Replay',
      icon: 'play',
      isShown: isDead,
      run: ({ id }) => act(run(inboxEvents.replay, id), t('Replayed', { count: 1 })),
    },
  ]
  const matching = {
    database: url['database'] ?? databases[0] ?? 'Default',
    ...(url['eventName'] && { eventName: url['eventName'] }),
    ...(url['consumer'] && { consumer: url['consumer'] }),
  }
  return (
    <ListPage
      title={text('Menu:Events')}
      hint="EventsHint"
      icon="mail"
      emptyHint="NoEventsHint"
      views="InboxEvents"
      list={inboxEvents.getList}
      columns={columns}
      actions={actions}
      isSearchable={false}
      filters={[
        {
          name: 'status',
          title: 'State',
          kind: 'enum',
          options: enumOptions(t, text('Enum:InboxEventStatus'), InboxEventStatus),
        },
        { name: 'eventName', title: text('DisplayName:EventName'), kind: 'text' },
        { name: 'consumer', title: text('DisplayName:Consumer'), kind: 'text' },
        ...(databases.length > 1
          ? [
              {
                name: 'database',
                title: text('DisplayName:Database'),
                kind: 'choice',
                options: databases.map((value) => ({ value, label: value })),
              } as const,
            ]
          : []),
      ]}
      above={<Boxes boxes={boxes.data?.items} error={boxes.error} />}
      commands={
        mayManage && (
          <Button variant="default" leftSection={<Icon name="play" />} onClick={() => setReplaying(true)}>
            {t('ReplayAll')}
          </Button>
        )
      }
      onOpen={(event: InboxEvent) => show(event)}
      removal={
        mayManage && {
          call: inboxEvents.delete,
          warn: ({ eventName, consumer }: InboxEvent) => t('DeleteEventHint', { name: eventName, consumer }),
          isAllowed: isDead,
        }
      }
    >
      {isReplaying && (
        <Confirm
          title={t('ReplayAll')}
          action={t('Replay')}
          isDangerous={false}
          onConfirm={async () => {
            const { count } = await run(inboxEvents.replayMany, matching)
            tell(t('Replayed', { count }))
          }}
          onClose={() => setReplaying(false)}
        >
          {t('ReplayAllHint', { filters: Object.values(matching).join(' · ') })}
        </Confirm>
      )}
      {shown && (
        <Drawer
          opened
          onClose={() => show(undefined)}
          position="right"
          size="lg"
          title={shown.eventName}
          closeButtonProps={{ 'aria-label': t('AbpUi::Close') }}
        >
          <Status event={shown} />
          <Facts
            facts={[
              [text('DisplayName:Consumer'), shown.consumer],
              ['AbpUi::DisplayName:CreationTime', formatInstant(shown.creationTime)],
              ['HandledAt', formatInstant(shown.handledTime)],
              ['Retries', shown.retryCount],
              [text('DisplayName:NextTryTime'), formatInstant(shown.nextRetryTime)],
              ['OrderKey', shown.orderKey],
              ['MessageId', shown.messageId],
              ['AbpUi::DisplayName:CorrelationId', shown.correlationId],
            ]}
          />
          {shown.lastError && (
            <>
              <Title order={2} my="sm">
                {t(text('DisplayName:LastError'))}
              </Title>
              <pre className="keel-code">{shown.lastError}</pre>
            </>
          )}
        </Drawer>
      )}
    </ListPage>
  )
}

/** What waits in the outbox and the inbox of each database; a figure leads to its events. */
function Boxes({
  boxes,
  error,
}: {
  readonly boxes: readonly InstanceType<typeof EventBoxDto>[] | undefined
  readonly error: Error | null
}) {
  const { t, formatNumber } = useApplication()
  if (error) return <ErrorAlert error={error} />
  if (!boxes) return <Skeleton height={120} mb="md" />
  const figure = (database: string, status: InboxEventStatus, count: number, title: string) => (
    <Anchor
      component={Link}
      to="."
      search={{ status: String(status), database } as never}
      size="sm"
      aria-label={`${title}, ${database}: ${formatNumber(count)}`}
    >
      {formatNumber(count)}
    </Anchor>
  )
  const titles = [t('Outgoing'), t(text('Enum:InboxEventStatus.0')), t('DeadLetters')] as const
  return (
    <Card withBorder padding="xs" mb="md" maw={620}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t(text('DisplayName:Database'))}</Table.Th>
            {titles.map((title) => (
              <Table.Th key={title}>{title}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {boxes.map(({ database, outgoing, pending, discarded }) => (
            <Table.Tr key={database}>
              <Table.Th fw={400}>{database}</Table.Th>
              <Table.Td>{formatNumber(outgoing)}</Table.Td>
              <Table.Td>{figure(database, Pending, pending, titles[1])}</Table.Td>
              <Table.Td>{figure(database, Discarded, discarded, titles[2])}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Card>
  )
}

function Status({ event }: { readonly event: InboxEvent }) {
  const { t } = useApplication()
  return (
    <Badge variant="light" color={colours[event.status]}>
      {t(text(`Enum:InboxEventStatus.${event.status}`))}
    </Badge>
  )
}
