import '@mantine/core/styles/Table.css'
import {
  BackgroundWorkPermissions,
  backgroundWorkMembers,
  type EventBoxDto,
  type InboxEventDto,
  InboxEventStatus,
} from '@keel/platform-proxy'
import { useMutation, useQuery } from '@keel/react'
import { Anchor, Badge, Button, Card, Skeleton, Stack, Table, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useApplication } from '../application.js'
import { openProxy } from '../clients.js'
import { BulkProgress, useBulk } from '../parts/bulk.js'
import type { Column, RowAction } from '../parts/data-list.js'
import { Dialog } from '../parts/dialog.js'
import { DialogButtons } from '../parts/dialog-buttons.js'
import { Drawer } from '../parts/drawer.js'
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
/** How many dead letters are replayed at a time. */
const portion = 500
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
      {isReplaying && <ReplayDialog matching={matching} onClose={() => setReplaying(false)} />}
      {shown && (
        <Drawer onClose={() => show(undefined)} size="lg" title={shown.eventName}>
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

/** Asks before the dead letters of the filters are replayed, a portion at a time, the oldest first. */
function ReplayDialog({
  matching,
  onClose,
}: {
  readonly matching: { readonly database: string; readonly eventName?: string; readonly consumer?: string }
  readonly onClose: () => void
}) {
  const { t, formatNumber } = useApplication()
  const tell = useTell()
  const bulk = useBulk()
  const { run } = useMutation()
  const [error, setError] = useState<unknown>()
  const dead = { ...matching, status: Discarded }
  const count = useQuery(inboxEvents.getList, { ...dead, maxResultCount: 1 }).data?.totalCount
  const replay = async () => {
    setError(undefined)
    /** Each is replayed once, also one that fails again meanwhile. */
    const replayed = new Set<string>()
    try {
      await bulk.run(async (report, signal) => {
        let [skipCount, total] = [0, 0]
        while (!signal.aborted) {
          const page = { skipCount, maxResultCount: portion, sorting: 'creationTime' }
          const { items, totalCount } = await inboxEvents.getList({ ...dead, ...page })
          if (items.length === 0) break
          const ids = items.map(({ id }) => id).filter((id) => !replayed.has(id))
          total = Math.max(total, replayed.size ? replayed.size + ids.length : totalCount)
          report(replayed.size, total)
          skipCount = ids.length ? 0 : skipCount + items.length
          if (ids.length) await run(inboxEvents.replayMany, { database: matching.database, ids })
          for (const id of ids) replayed.add(id)
        }
      })
      onClose()
    } catch (refusal) {
      setError(refusal)
    }
    if (replayed.size) tell(t('Replayed', { count: formatNumber(replayed.size) }))
  }
  return (
    <Dialog title={t('ReplayAll')} isHeld={bulk.reached !== undefined} onClose={onClose}>
      <Stack>
        <Text size="sm">
          {t('ReplayAllHint', {
            count: count === undefined ? '…' : formatNumber(count),
            filters: Object.values(matching).join(' · '),
          })}
        </Text>
        {error !== undefined && <ErrorAlert error={error} />}
        {bulk.reached ? (
          <BulkProgress bulk={bulk} title={t('ReplayAll')} />
        ) : (
          <DialogButtons
            text={t('Replay')}
            isDangerous={false}
            isReady={Boolean(count)}
            isRunning={false}
            onCancel={onClose}
            onConfirm={() => void replay()}
          />
        )}
      </Stack>
    </Dialog>
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
