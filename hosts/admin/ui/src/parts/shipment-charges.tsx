import {
  ChargeStatus,
  ShipmentChargeAppService,
  type ShipmentChargeDto,
  ShipmentChargePermissions,
} from '@keel/pricing-proxy'
import { useMutation, useQuery } from '@keel/react'
import { Badge, Stack } from '@mantine/core'
import { useState } from 'react'
import { useApplication } from '../application.js'
import { openProxy } from '../clients.js'
import { ActionDialog, type ThingAction } from './action-dialog.js'
import { Confirm } from './confirm.js'
import { EditDialog, type Editing } from './edit-dialog.js'
import { Facts } from './facts.js'
import type { Field } from './fields.js'
import { useFormats } from './formats.js'
import { OrganizationSelect } from './organizations.js'
import { useChargeCodes, useCurrencies } from './pricing.js'
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

const valuesOf = (mayCost: boolean) => (charge?: Charge) => ({
  chargeCodeId: charge?.chargeCodeId ?? null,
  description: charge?.description ?? '',
  debtorOrganizationId: charge?.debtorOrganizationId ?? null,
  sellAmount: charge?.sellAmount ?? '',
  sellCurrencyCode: charge?.sellCurrencyCode ?? null,
  taxPercent: charge?.taxPercent ?? '',
  ...(mayCost && {
    costAmount: charge?.costAmount ?? '',
    costCurrencyCode: charge?.costCurrencyCode ?? null,
    creditorOrganizationId: charge?.creditorOrganizationId ?? null,
  }),
})
type Values = ReturnType<ReturnType<typeof valuesOf>>

/** An approved charge is changed by those who may approve alone. */
const isOpen = ({ status }: Charge, mayApprove: boolean) =>
  status < ChargeStatus.Approved || (status === ChargeStatus.Approved && mayApprove)

/** Records the invoice of an approved charge. */
const invoicing: ThingAction<Charge> = {
  name: 'invoice-charge',
  title: 'Ops:InvoiceCharge',
  hint: 'Ops:InvoiceChargeHint',
  permission: ShipmentChargePermissions.Approve,
  isPossible: ({ status }) => status === ChargeStatus.Approved,
  call: shipmentCharges.markInvoiced,
  fieldsOf: () => [
    { name: 'invoiceNumber', title: own('InvoiceNumber'), isRequired: true },
    { name: 'invoiceDate', title: own('InvoiceDate'), kind: 'date', isRequired: true },
  ],
}

function useEditing(shipmentId: string, isNew: boolean): Editing<Charge, Values> {
  const { may } = useApplication()
  const mayCost = may(ShipmentChargePermissions.ViewCost)
  const currencies = useCurrencies()
  const amount = (of: 'sell' | 'cost', title: string): readonly Field<Values>[] => [
    { name: `${of}Amount`, title: own(`${title}Amount`), kind: 'decimal' },
    { name: `${of}CurrencyCode`, title: own(`${title}CurrencyCode`), kind: 'choice', options: currencies },
  ]
  return {
    draft: `charge:${shipmentId}`,
    ownFields: 'Pricing.ShipmentCharge',
    get: shipmentCharges.get,
    create: shipmentCharges.create as never,
    update: shipmentCharges.update as never,
    valuesOf: valuesOf(mayCost),
    sendsChangesOnly: true,
    toInput: ({ taxPercent, ...values }) => ({
      ...values,
      ...(isNew && { shipmentId }),
      ...(taxPercent !== undefined && (taxPercent !== null || !isNew) && { taxPercent: taxPercent ?? '0' }),
    }),
    fields: [
      {
        name: 'chargeCodeId',
        title: own('ChargeCode'),
        kind: 'choice',
        options: useChargeCodes(),
        isRequired: true,
      },
      { name: 'description', title: 'AbpUi::DisplayName:Description', isRequired: true },
      ...amount('sell', 'Sell'),
      { name: 'debtorOrganizationId', title: 'Ops:ChargeDebtor', kind: 'pick', pick: OrganizationSelect },
      { name: 'taxPercent', title: own('TaxPercent'), kind: 'decimal' },
      ...(mayCost
        ? [
            ...amount('cost', 'Cost'),
            {
              name: 'creditorOrganizationId',
              title: 'Ops:ChargeCreditor',
              kind: 'pick',
              pick: OrganizationSelect,
            } as const,
          ]
        : []),
    ],
  }
}

function ChargeDialog({
  shipmentId,
  id,
  onClose,
}: {
  readonly shipmentId: string
  readonly id: string | undefined
  readonly onClose: () => void
}) {
  const { t } = useApplication()
  const editing = useEditing(shipmentId, id === undefined)
  return (
    <EditDialog
      id={id}
      title={t(id ? 'Pricing::Entity:ShipmentCharge' : 'Ops:AddCharge')}
      editing={editing}
      onClose={onClose}
    />
  )
}

function Charges({ shipmentId }: { readonly shipmentId: string }) {
  const { t, may } = useApplication()
  const { money, decimal } = useFormats()
  const [approved, approve] = useState<Charge>()
  const [invoiced, invoice] = useState<Charge>()
  const { run } = useMutation()
  const { Create, Edit, Delete, Approve, ViewCost } = ShipmentChargePermissions
  return (
    <>
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
            cell: (charge) => nameOf(charge),
          },
          {
            id: 'price',
            title: own('SellAmount'),
            isEssential: true,
            isFigure: true,
            cell: ({ sellAmount, sellCurrencyCode }) => money(sellAmount, sellCurrencyCode),
          },
          ...(may(ViewCost)
            ? [
                {
                  id: 'cost',
                  title: own('CostAmount'),
                  isFigure: true,
                  cell: ({ costAmount, costCurrencyCode }: Charge) => money(costAmount, costCurrencyCode),
                },
              ]
            : []),
          {
            id: 'tax',
            title: own('TaxPercent'),
            isFigure: true,
            cell: ({ taxPercent }) => decimal(taxPercent),
          },
          {
            id: 'status',
            title: own('Status'),
            cell: ({ status }) => <Badge variant="light">{t(`Pricing::Enum:ChargeStatus.${status}`)}</Badge>,
          },
          { id: 'invoice', title: own('InvoiceNumber'), cell: ({ invoiceNumber }) => invoiceNumber },
        ]}
        work={{
          newTitle: may(Create) && 'Ops:AddCharge',
          mayEdit: may(Edit),
          isEditable: (charge) => isOpen(charge, may(Approve)),
          dialog: (id, onClose) => <ChargeDialog shipmentId={shipmentId} id={id} onClose={onClose} />,
        }}
        actions={
          may(Approve)
            ? [
                {
                  title: 'Pricing:Approve',
                  icon: 'check',
                  isShown: ({ status }) => status <= ChargeStatus.Accrued,
                  run: approve,
                },
                {
                  title: 'Ops:InvoiceCharge',
                  icon: 'file',
                  isShown: (charge) => invoicing.isPossible(charge, may),
                  run: invoice,
                },
              ]
            : []
        }
        removal={
          may(Delete) && {
            call: shipmentCharges.delete,
            warn: (charge) => t('Ops:DeleteRowHint', { name: nameOf(charge) }),
            isAllowed: (charge) => isOpen(charge, may(Approve)),
          }
        }
      />
      {approved && (
        <Confirm
          title={t('Pricing:Approve')}
          action={t('Pricing:Approve')}
          isDangerous={false}
          onConfirm={() => run(shipmentCharges.approve, [approved.id])}
          onClose={() => approve(undefined)}
        >
          {t('Ops:ApproveChargeHint', { name: nameOf(approved) })}
        </Confirm>
      )}
      {invoiced && (
        <ActionDialog
          action={invoicing}
          thing={invoiced}
          name={nameOf(invoiced)}
          comparing={{
            load: shipmentCharges.get,
            seenOf: ({ sellAmount, sellCurrencyCode, status }) => ({
              [own('SellAmount')]: money(sellAmount, sellCurrencyCode),
              [own('Status')]: t(`Pricing::Enum:ChargeStatus.${status}`),
            }),
          }}
          alsoInvalidates={[]}
          onClose={() => invoice(undefined)}
        />
      )}
    </>
  )
}

function nameOf({ chargeCode, description }: Charge): string {
  return [chargeCode?.code, description].filter(Boolean).join(' · ')
}
