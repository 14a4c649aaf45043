import {
  ShipmentChargeAppService,
  type ShipmentChargeDto,
  ShipmentChargePermissions,
} from '@keel/pricing-proxy'
import { Badge } from '@mantine/core'
import { useApplication } from '../application.js'
import { openProxy } from '../clients.js'
import { SmallList } from './small-list.js'

type Charge = InstanceType<typeof ShipmentChargeDto>
const { shipmentCharges } = openProxy({ shipmentCharges: { service: ShipmentChargeAppService } })
const own = (name: string) => `Pricing::DisplayName:ShipmentCharge:${name}`

/** What was bought and sold on a shipment; costs only for those who may see them. */
export function ShipmentCharges({ shipmentId }: { readonly shipmentId: string }) {
  const { t, may } = useApplication()
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
          cell: ({ sellAmount, sellCurrencyCode }) =>
            sellAmount == null ? '' : `${sellAmount} ${sellCurrencyCode}`,
        },
        ...(may(ShipmentChargePermissions.ViewCost)
          ? [
              {
                id: 'cost',
                title: own('CostAmount'),
                cell: ({ costAmount, costCurrencyCode }: Charge) =>
                  costAmount == null ? '' : `${costAmount} ${costCurrencyCode}`,
              },
            ]
          : []),
        { id: 'tax', title: own('TaxPercent'), cell: ({ taxPercent }) => taxPercent },
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
