import { ConsolStatus, DocumentStatus, OrderStatus, Severity, ShipmentStatus } from '@keel/hub-proxy'
import { Badge, Text } from '@mantine/core'
import { useTexts } from '../application.js'

const shipmentColours: Readonly<Record<ShipmentStatus, string>> = {
  [ShipmentStatus.Draft]: 'gray',
  [ShipmentStatus.Booked]: 'blue',
  [ShipmentStatus.Confirmed]: 'blue',
  [ShipmentStatus.CargoReceived]: 'cyan',
  [ShipmentStatus.InTransit]: 'indigo',
  [ShipmentStatus.Arrived]: 'violet',
  [ShipmentStatus.CustomsCleared]: 'violet',
  [ShipmentStatus.OutForDelivery]: 'violet',
  [ShipmentStatus.Delivered]: 'teal',
  [ShipmentStatus.Completed]: 'green',
  [ShipmentStatus.Cancelled]: 'red',
}
const orderColours: Readonly<Record<OrderStatus, string>> = {
  [OrderStatus.Draft]: 'gray',
  [OrderStatus.Placed]: 'blue',
  [OrderStatus.Confirmed]: 'cyan',
  [OrderStatus.PartiallyShipped]: 'indigo',
  [OrderStatus.Shipped]: 'indigo',
  [OrderStatus.Received]: 'teal',
  [OrderStatus.Closed]: 'green',
  [OrderStatus.Cancelled]: 'red',
}
const consolColours: Readonly<Record<ConsolStatus, string>> = {
  [ConsolStatus.Planned]: 'gray',
  [ConsolStatus.Booked]: 'blue',
  [ConsolStatus.Closed]: 'cyan',
  [ConsolStatus.Departed]: 'indigo',
  [ConsolStatus.Arrived]: 'teal',
  [ConsolStatus.Completed]: 'green',
  [ConsolStatus.Cancelled]: 'red',
}
const documentColours: Readonly<Record<DocumentStatus, string>> = {
  [DocumentStatus.Pending]: 'gray',
  [DocumentStatus.Published]: 'teal',
  [DocumentStatus.Superseded]: 'gray',
  [DocumentStatus.Archived]: 'gray',
  [DocumentStatus.Quarantined]: 'red',
}
const severityColours: Readonly<Record<Severity, string>> = {
  [Severity.Info]: 'blue',
  [Severity.Warning]: 'orange',
  [Severity.Critical]: 'red',
}

function Word({ colour, text }: { readonly colour: string; readonly text: string }) {
  const t = useTexts()
  return (
    <Badge variant="light" color={colour} style={{ flexShrink: 0, minWidth: 'max-content' }}>
      {t(`Hub::Enum:${text}`)}
    </Badge>
  )
}

/** The status that a facet of shipments names, in English or by number. */
export function shipmentStatusOf(value: string): ShipmentStatus {
  return ShipmentStatus[value as keyof typeof ShipmentStatus] ?? Number(value)
}

/** The status of a shipment, and whether it is on hold. */
export function ShipmentState({
  status,
  isOnHold,
}: {
  readonly status: ShipmentStatus
  readonly isOnHold?: boolean
}) {
  const t = useTexts()
  return (
    <>
      <Word colour={shipmentColours[status]} text={`ShipmentStatus.${status}`} />
      {isOnHold && (
        <Badge variant="light" color="orange" ms={6} style={{ flexShrink: 0, minWidth: 'max-content' }}>
          {t('Hub::DisplayName:Shipment:IsOnHold')}
        </Badge>
      )}
    </>
  )
}

/** The status of an order. */
export function OrderState({ status }: { readonly status: OrderStatus }) {
  return <Word colour={orderColours[status]} text={`OrderStatus.${status}`} />
}

/** The status of a consol. */
export function ConsolState({ status }: { readonly status: ConsolStatus }) {
  return <Word colour={consolColours[status]} text={`ConsolStatus.${status}`} />
}

/** The status of a document. */
export function DocumentState({
  status,
  reason,
}: {
  readonly status: DocumentStatus
  /** Why the file is in quarantine. */
  readonly reason?: string
}) {
  return (
    <>
      <Word colour={documentColours[status]} text={`DocumentStatus.${status}`} />
      {reason && (
        <Text size="xs" c="dimmed">
          {reason}
        </Text>
      )}
    </>
  )
}

/** How bad an exception is. */
export function SeverityMark({ severity }: { readonly severity: Severity }) {
  return <Word colour={severityColours[severity]} text={`Severity.${severity}`} />
}
