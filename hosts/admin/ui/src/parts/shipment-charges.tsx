import {
  ShipmentChargeAppService,
  type ShipmentChargeDto,
  ShipmentChargePermissions,
} from '@keel/pricing-proxy'
import { useQuery } from '@keel/react'
import { Badge, Stack } from '@mantine/core'
import { useApplication } from '../application.js'
import { openProxy } from '../clients.js'
import { Facts } from './facts.js'
import { useFormats } from './formats.js'
import { SmallList } from './small-list.js'
import { ErrorAlert } from './states.js'

type Charge = InstanceType<typeof ShipmentChargeDto>
const { shipmentCharges } = openProxy({ shipmentCharges: { service: ShipmentChargeAppService } })
const own = (name: string) => `Pricing::DisplayName:ShipmentCharge:${name}`

/** What was bought and sold on a shipment; costs and profit only for those who may see them. */
export function ShipmentCharges({ shipmentId }: { readonly shipmentId: string }) {
  const { may } = useApplication()
  return (
    <Stack gap="md">
      {may(ShipmentChargePermissions.ViewCost) && <Profit shipmentId={shipmentId} />}
      <Charges shipmentId={shipmentId} />
    </Stack>
  )
}

/** Cost, price and margin of a shipment in one currency; nothing before there are charges. */
function Profit({ shipmentId }: { readonly shipmentId: string }) {
  const { money, margin } = useFormats()
  const { data, error, refetch } = useQuery(shipmentCharges.getProfit, shipmentId, {})
  if (error) return <ErrorAlert error={error} retry={() => void refetch()} />
  if (!data || (Number(data.sell) === 0 && Number(data.cost) === 0)) return null
  const { currencyCode, percent } = data
  return (
    <Facts
      isWide
      facts={[
        [own('SellAmount'), money(data.sell, currencyCode)],
        [own('CostAmount'), money(data.cost, currencyCode)],
        ['Pricing:Margin', margin(data.margin, percent, currencyCode)],
      ]}
    />
  )
}

function Charges({ shipmentId }: { readonly shipmentId: string }) {
  const { t, may } = useApplication()
  const { money, decimal } = useFormats()
  return (
    <SmallList<Charge, { shipmentId: string }>
      title="Ops:Charges"
      list={shipmentCharges.getList}
      input={{ shipmentId }}
      emptyHint="Ops:NoChargesHint"
      columns={[
        {
          id: 'charge',
          title: own('ChargeCode'),
          isEssential: true,
          cell: ({ chargeCode, description }) => [chargeCode?.code, description].filter(Boolean).join(' · '),
        },
        {
          id: 'price',
          title: own('SellAmount'),
          isEssential: true,
          cell: ({ sellAmount, sellCurrencyCode }) => money(sellAmount, sellCurrencyCode),
        },
        ...(may(ShipmentChargePermissions.ViewCost)
          ? [
              {
                id: 'cost',
                title: own('CostAmount'),
                cell: ({ costAmount, costCurrencyCode }: Charge) => money(costAmount, costCurrencyCode),
              },
            ]
          : []),
        { id: 'tax', title: own('TaxPercent'), cell: ({ taxPercent }) => decimal(taxPercent) },
        {
          id: 'status',
          title: own('Status'),
          cell: ({ status }) => <Badge variant="light">{t(`Pricing::Enum:ChargeStatus.${status}`)}</Badge>,
        },
        { id: 'invoice', title: own('InvoiceNumber'), cell: ({ invoiceNumber }) => invoiceNumber },
      ]}
    />
  )
}
