import '@mantine/core/styles/Grid.css'
import { DocumentPermissions, OrderPermissions } from '@keel/hub-proxy'
import { useQuery } from '@keel/react'
import { Card, Grid, Stack, Text, Title } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useApplication } from '../application.js'
import { possibleActions, type ThingAction } from '../parts/action-dialog.js'
import { DeleteThing, DetailHead, type HeadAction } from '../parts/detail-head.js'
import { DocumentsOf } from '../parts/documents-of.js'
import { Facts } from '../parts/facts.js'
import { FailedDetail } from '../parts/failed-detail.js'
import { useFormats } from '../parts/formats.js'
import { orders } from '../parts/hub.js'
import { useCodes } from '../parts/hub-selects.js'
import { OrderActionDialog, orderActions, quantityActions } from '../parts/order-actions.js'
import { type Order, OrderDialog } from '../parts/order-form.js'
import { OrderLines, QuantityDialog } from '../parts/order-lines.js'
import { ShipmentLink } from '../parts/shipment-link.js'
import { isOrderOpen, orderName } from '../parts/shipment-orders.js'
import { ErrorAlert, PageLoading } from '../parts/states.js'
import { OrderState } from '../parts/statuses.js'
import { useUrlState } from '../parts/url-state.js'
import { UserName } from '../parts/user-names.js'

const own = (name: string) => `Hub::DisplayName:Order:${name}`

/** One order: its state and what can be done, its lines, documents and history. */
export function Page() {
  const { id } = useParams({ strict: false }) as { id: string }
  const order = useQuery(orders.get, id)
  if (order.error)
    return <FailedDetail error={order.error} retry={order.refetch} list="/orders" title="Ops:Orders" />
  if (!order.data) return <PageLoading />
  return <Detail order={order.data} />
}

function Detail({ order }: { readonly order: Order }) {
  const { t, may } = useApplication()
  const formats = useFormats()
  const [url, setUrl] = useUrlState()
  const [asked, ask] = useState<ThingAction<Order> | 'receive' | 'split' | 'delete'>()
  const codes = [...useCodes('TransportMode'), ...useCodes('Incoterm')]
  const code = (id: string | null | undefined) => codes.find(({ value }) => value === id)?.label
  const close = () => ask(undefined)
  const steps = possibleActions(orderActions, order, may).map(
    (action): HeadAction => ({ ...action, run: () => ask(action) }),
  )
  const quantities = (['receive', 'split'] as const)
    .filter((kind) => may(OrderPermissions.Edit) && quantityActions[kind](order))
    .map(
      (kind): HeadAction => ({
        name: kind,
        title: kind === 'receive' ? 'Ops:ReceiveOrder' : 'Ops:SplitOrder',
        isNext: kind === 'receive',
        run: () => ask(kind),
      }),
    )
  const actions: readonly HeadAction[] = [
    ...steps.filter(({ isDangerous }) => !isDangerous),
    ...quantities,
    ...(may(OrderPermissions.Edit) && isOrderOpen(order)
      ? [
          {
            name: 'edit',
            title: 'AbpUi::Edit',
            icon: 'edit',
            run: () => setUrl({ edit: 'open' }, true),
          } as const,
        ]
      : []),
    ...steps.filter(({ isDangerous }) => isDangerous),
    ...(may(OrderPermissions.Delete)
      ? [
          {
            name: 'delete',
            title: 'AbpUi::Delete',
            icon: 'trash',
            isDangerous: true,
            run: () => ask('delete'),
          } as const,
        ]
      : []),
  ]
  return (
    <>
      <DetailHead
        list="/orders"
        listTitle="Ops:Orders"
        name={orderName(order)}
        badges={<OrderState status={order.status} />}
        line={[order.buyer?.fullName, order.supplier?.fullName].filter(Boolean).join(' ← ')}
        actions={actions}
      />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, lg: 8 }}>
          <Stack gap="xl">
            <OrderLines order={order} />
            {may(DocumentPermissions.View) && <DocumentsOf of={{ orderId: order.id }} />}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 4 }}>
          <Stack gap="lg">
            <Card withBorder padding="md">
              <Title order={2} mb="xs">
                {t('Ops:Overview')}
              </Title>
              <Facts
                facts={[
                  [
                    'Hub::Entity:Shipment',
                    order.shipmentId && <ShipmentLink key="shipment" id={order.shipmentId} />,
                  ],
                  [own('Buyer'), order.buyer?.fullName],
                  [own('Supplier'), order.supplier?.fullName],
                  [own('OrderDate'), formats.date(order.orderDate)],
                  ['Hub::DisplayName:CargoReadyDate', formats.date(order.cargoReadyDate)],
                  [own('RequiredExWorksDate'), formats.date(order.requiredExWorksDate)],
                  [own('RequiredInStoreDate'), formats.date(order.requiredInStoreDate)],
                  [own('TotalAmount'), formats.money(order.totalAmount, order.currencyCode)],
                  [own('TotalQuantity'), formats.decimal(order.totalQuantity)],
                  ['Hub::DisplayName:TransportMode', code(order.transportModeId)],
                  ['Hub::DisplayName:Incoterm', code(order.incotermId)],
                  ['AbpUi::DisplayName:Description', order.description],
                  [own('ExternalId'), order.externalId],
                ]}
              />
            </Card>
            <History order={order} />
          </Stack>
        </Grid.Col>
      </Grid>
      {url['edit'] && <OrderDialog id={order.id} onClose={() => setUrl({ edit: undefined })} />}
      {(asked === 'receive' || asked === 'split') && (
        <QuantityDialog kind={asked} order={order} onClose={close} />
      )}
      {asked === 'delete' && (
        <DeleteThing
          call={orders.delete}
          id={order.id}
          list="/orders"
          hint={t('Ops:DeleteOrderHint', { name: orderName(order) })}
          onClose={close}
        />
      )}
      {typeof asked === 'object' && <OrderActionDialog action={asked} order={order} onClose={close} />}
    </>
  )
}

/** The statuses that an order has had, the latest first. */
function History({ order }: { readonly order: Order }) {
  const { t, formatInstant } = useApplication()
  const changes = useQuery(orders.getStatusHistory, order.id)
  if (changes.data?.length === 0) return null
  return (
    <Card withBorder padding="md">
      <Stack gap="xs" component="section">
        <Title order={2}>{t('Hub::DisplayName:Order:StatusHistory')}</Title>
        {changes.error && <ErrorAlert error={changes.error} retry={() => void changes.refetch()} />}
        <ol className="keel-timeline">
          {changes.data?.toReversed().map((change) => (
            <li key={change.id} data-kind="StatusChange" data-actual>
              <Text size="sm" fw={550}>
                {t(`Hub::Enum:OrderStatus.${change.toStatus}`)}
              </Text>
              <Text size="xs" c="dimmed">
                {formatInstant(change.changeTime)}
                {change.creatorId && ' · '}
                <UserName id={change.creatorId} />
                {change.reason && ` · ${change.reason}`}
              </Text>
            </li>
          ))}
        </ol>
      </Stack>
    </Card>
  )
}
