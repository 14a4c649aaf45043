import { ShipmentStatus, shipmentMoves } from '@keel/hub-proxy'
import { useQuery } from '@keel/react'
import {
  ActionIcon,
  Anchor,
  Badge,
  Button,
  Card,
  Group,
  Menu,
  Skeleton,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { Link } from '@tanstack/react-router'
import { type DragEvent, useEffect, useState } from 'react'
import { useApplication } from '../application.js'
import { possibleActions, type ThingAction } from '../parts/action-dialog.js'
import { shipments } from '../parts/hub.js'
import { useCodeName } from '../parts/hub-selects.js'
import { Icon } from '../parts/icons.js'
import { PageHead } from '../parts/page-head.js'
import { type Shipment, ShipmentActionDialog, shipmentActions } from '../parts/shipment-actions.js'
import { ErrorAlert } from '../parts/states.js'
import { useUrlState } from '../parts/url-state.js'

/** The cards of a column; the list has the others. */
const shownCards = 20
/** A board shows what is under way: what is completed or cancelled is in the list. */
const columns = Object.values(ShipmentStatus).filter(
  (status): status is ShipmentStatus => typeof status === 'number' && status < ShipmentStatus.Completed,
)

/** Where an action takes a shipment; undefined for one that leaves the status as it is. */
function targetOf({ name }: ThingAction<Shipment>, { status }: Shipment): ShipmentStatus | undefined {
  const moves = (shipmentMoves as Readonly<Record<string, readonly (readonly ShipmentStatus[])[]>>)[name]
  return moves?.find(([from]) => from === status)?.[1]
}

interface Asked {
  readonly action: ThingAction<Shipment>
  readonly shipment: Shipment
}

/** Shipments under way, a column for each status. They are moved by the actions that lead from column to column. */
export function Page() {
  const { t, may } = useApplication()
  const [url, setUrl] = useUrlState()
  const [typed, setTyped] = useState(url['filter'] ?? '')
  const [dragged, drag] = useState<Shipment>()
  const [asked, ask] = useState<Asked>()
  const report = useDebouncedCallback((filter: string) => setUrl({ filter: filter || undefined }), 250)
  useEffect(() => setTyped(url['filter'] ?? ''), [url['filter']])
  const actionsOf = (shipment: Shipment) =>
    possibleActions(shipmentActions, shipment, may).filter(
      (action) => targetOf(action, shipment) !== undefined,
    )
  return (
    <>
      <PageHead title={t('Ops:Board')} hint={t('Ops:BoardHint')}>
        <Button
          component={Link}
          to={'/shipments' as never}
          variant="default"
          leftSection={<Icon name="list" />}
        >
          {t('Ops:List')}
        </Button>
      </PageHead>
      <TextInput
        type="search"
        mb="sm"
        maw="22rem"
        aria-label={`${t('AbpUi::PagerSearch')}: ${t('Ops:Board')}`}
        placeholder={t('AbpUi::PagerSearch')}
        leftSection={<Icon name="search" />}
        value={typed}
        maxLength={256}
        onChange={({ currentTarget }) => {
          setTyped(currentTarget.value)
          report(currentTarget.value)
        }}
      />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by the keyboard */}
      <section className="keel-board" tabIndex={0} aria-label={t('Ops:Board')}>
        {columns.map((status) => {
          const action = dragged && actionsOf(dragged).find((one) => targetOf(one, dragged) === status)
          return (
            <Column
              key={status}
              status={status}
              filter={url['filter']}
              actionsOf={actionsOf}
              onDrag={drag}
              onMove={(one, shipment) => ask({ action: one, shipment })}
              {...(action && dragged && { onDrop: () => ask({ action, shipment: dragged }) })}
            />
          )
        })}
      </section>
      {asked && <ShipmentActionDialog {...asked} onClose={() => ask(undefined)} />}
    </>
  )
}

function Column({
  status,
  filter,
  actionsOf,
  onDrag,
  onMove,
  onDrop,
}: {
  readonly status: ShipmentStatus
  readonly filter: string | undefined
  readonly actionsOf: (shipment: Shipment) => readonly ThingAction<Shipment>[]
  readonly onDrag: (shipment: Shipment | undefined) => void
  readonly onMove: (action: ThingAction<Shipment>, shipment: Shipment) => void
  /** Set while a shipment is dragged that may be dropped here. */
  readonly onDrop?: () => void
}) {
  const { t, formatNumber } = useApplication()
  const name = ShipmentStatus[status]
  const title = t(`Hub::Enum:ShipmentStatus.${status}`)
  const page = useQuery(shipments.getList, {
    filters: { Status: [name] },
    filter,
    sorting: 'estimatedDeparture ASC',
    maxResultCount: shownCards,
  })
  const target = onDrop && {
    onDragOver: (event: DragEvent) => event.preventDefault(),
    onDrop: (event: DragEvent) => {
      event.preventDefault()
      onDrop()
    },
  }
  return (
    <section aria-label={title} data-status={name} data-target={onDrop !== undefined} {...target}>
      <Group justify="space-between" mb="xs" px={4}>
        <Title order={2} fz="sm">
          {title}
        </Title>
        <Text size="sm" c="dimmed">
          {page.data && formatNumber(page.data.totalCount)}
        </Text>
      </Group>
      {page.error && <ErrorAlert error={page.error} retry={() => void page.refetch()} />}
      {page.isPending && <Skeleton height={90} />}
      <Stack gap="xs" component="ul" className="keel-plain" style={{ listStyle: 'none' }}>
        {page.data?.items.map((shipment) => (
          <li key={shipment.id}>
            <ShipmentCard
              shipment={shipment}
              actions={actionsOf(shipment)}
              onDrag={onDrag}
              onMove={(action) => onMove(action, shipment)}
            />
          </li>
        ))}
      </Stack>
      {page.data?.totalCount === 0 && (
        <Text size="sm" c="dimmed" px={4}>
          {t('Ops:NoneHere')}
        </Text>
      )}
      {page.data && page.data.totalCount > shownCards && (
        <Anchor
          component={Link}
          to={'/shipments' as never}
          search={{ Status: name, ...(filter && { filter }) } as never}
          size="sm"
          px={4}
        >
          {t('Ops:AllOf', { count: formatNumber(page.data.totalCount), what: title })}
        </Anchor>
      )}
    </section>
  )
}

function ShipmentCard({
  shipment,
  actions,
  onDrag,
  onMove,
}: {
  readonly shipment: Shipment
  readonly actions: readonly ThingAction<Shipment>[]
  readonly onDrag: (shipment: Shipment | undefined) => void
  readonly onMove: (action: ThingAction<Shipment>) => void
}) {
  const { t, language } = useApplication()
  const modeName = useCodeName('TransportMode')
  const dates = new Intl.DateTimeFormat(language, { dateStyle: 'medium' })
  const { shipmentReference, firstConsolLegDeparturePort: from, lastConsolLegArrivalPort: to } = shipment
  return (
    <Card
      withBorder
      padding="xs"
      draggable={actions.length > 0}
      data-shipment={shipmentReference}
      onDragStart={(event: DragEvent) => {
        event.dataTransfer.setData('text/plain', shipmentReference)
        event.dataTransfer.effectAllowed = 'move'
        onDrag(shipment)
      }}
      onDragEnd={() => onDrag(undefined)}
    >
      <Group justify="space-between" wrap="nowrap" gap={4}>
        <Anchor component={Link} to={`/shipments/${shipment.id}` as never} size="sm" fw={600} truncate>
          {shipmentReference}
        </Anchor>
        {actions.length > 0 && (
          <Menu position="bottom-end" width={240}>
            <Menu.Target>
              <ActionIcon
                variant="subtle"
                color="gray"
                size="sm"
                aria-label={`${t('Ops:MoveOn')}: ${shipmentReference}`}
              >
                <Icon name="right" size={14} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              {actions.map((action) => (
                <Menu.Item
                  key={action.name}
                  color={action.isDangerous ? 'red' : undefined}
                  onClick={() => onMove(action)}
                >
                  {t(action.title)}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
        )}
      </Group>
      <Text size="sm" truncate>
        {shipment.controllingCustomer?.fullName ?? '–'}
      </Text>
      <Text size="xs" c="dimmed" truncate>
        {[`${from?.unLocode ?? '–'} → ${to?.unLocode ?? '–'}`, modeName(shipment.transportMode)]
          .filter(Boolean)
          .join(' · ')}
      </Text>
      <Text size="xs" c="dimmed" truncate>
        {shipment.actualDeparture
          ? shipment.estimatedArrival && `${t('Ops:Arrival')}: ${dates.format(shipment.estimatedArrival)}`
          : shipment.estimatedDeparture &&
            `${t('Ops:Departure')}: ${dates.format(shipment.estimatedDeparture)}`}
      </Text>
      {shipment.isOnHold && (
        <Badge size="sm" variant="light" color="orange" mt={4} title={shipment.holdReason ?? undefined}>
          {t('Hub::DisplayName:Shipment:IsOnHold')}
        </Badge>
      )}
    </Card>
  )
}
