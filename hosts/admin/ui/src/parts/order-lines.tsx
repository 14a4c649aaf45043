import { type OrderLineDto, OrderPermissions, OrderStatus } from '@keel/hub-proxy'
import { useMutation, useQuery } from '@keel/react'
import { Button, Group, Skeleton, Stack, Text, TextInput, Title } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useApplication } from '../application.js'
import { Confirm } from './confirm.js'
import { RowMenu } from './data-list.js'
import { Dialog } from './dialog.js'
import type { Field } from './fields.js'
import { FormBody, useForm } from './form.js'
import { useFormats } from './formats.js'
import { hsCodes, orders, unitsOfMeasure } from './hub.js'
import { Icon } from './icons.js'
import { useTell } from './notices.js'
import type { Order } from './order-form.js'
import { PartDialog, type Whole } from './part-dialog.js'
import { orderName } from './shipment-orders.js'
import { ErrorAlert } from './states.js'

type Line = InstanceType<typeof OrderLineDto>
const own = (name: string) => `Ops:OrderLine:${name}`

const fields: readonly Field<ReturnType<typeof valuesOf>>[] = [
  { name: 'lineNumber', title: own('LineNumber'), kind: 'number', isRequired: true },
  { name: 'productCode', title: own('ProductCode'), isRequired: true },
  { name: 'quantity', title: 'Hub::DisplayName:Order:TotalQuantity', kind: 'decimal', isRequired: true },
  {
    name: 'unitCode',
    title: own('UnitCode'),
    hint: 'Ops:UnitHint',
    kind: 'code',
    lookup: [unitsOfMeasure.getLookup],
    isRequired: true,
  },
  { name: 'unitPrice', title: own('UnitPrice'), kind: 'decimal' },
  { name: 'hsCode', title: 'Ops:PackLine:HsCode', kind: 'code', lookup: [hsCodes.getLookup] },
  { name: 'description', title: 'AbpUi::DisplayName:Description', kind: 'area' },
  { name: 'outerPackages', title: 'Hub::DisplayName:Shipment:TotalPackages', kind: 'number' },
  { name: 'grossWeightKg', title: 'Hub::DisplayName:Shipment:TotalGrossWeight', kind: 'number' },
  { name: 'volumeM3', title: 'Hub::DisplayName:Shipment:TotalVolume', kind: 'number' },
]

function valuesOf(line: Line | undefined, next = 1) {
  return {
    lineNumber: line?.lineNumber ?? next,
    productCode: line?.productCode ?? '',
    quantity: line?.quantity ?? '',
    unitCode: line?.unitCode ?? 'C62',
    unitPrice: line?.unitPrice ?? '',
    hsCode: line?.hsCode ?? '',
    description: line?.description ?? '',
    outerPackages: line?.outerPackages ?? null,
    grossWeightKg: line?.grossWeightKg ?? null,
    volumeM3: line?.volumeM3 ?? null,
  }
}

/** A line as it is written again when another one changes. */
function asInput(line: Line): object {
  return Object.fromEntries(fields.map(({ name }) => [name, line[name] ?? null]))
}

/** The columns that a phone has room for. */
const essential = new Set(['ProductCode', 'Ordered', 'Shipped'])
const isFigure = (column: string) => column !== 'LineNumber' && column !== 'ProductCode'

/** The lines of an order with their quantities: to add, change and take away until it is confirmed. */
export function OrderLines({ order }: { readonly order: Order }) {
  const { t, may } = useApplication()
  const lines = useQuery(orders.getLines, order.id)
  const [edited, edit] = useState<Line | 'new'>()
  const [removed, remove] = useState<Line>()
  const { run } = useMutation()
  const mayEdit =
    may(OrderPermissions.Edit) && (order.status === OrderStatus.Draft || order.status === OrderStatus.Placed)
  const all = lines.data ?? []
  const next = Math.max(0, ...all.map(({ lineNumber }) => lineNumber)) + 1
  const { decimal, money } = useFormats()
  const isNarrow = useMediaQuery('(max-width: 48em)', window.innerWidth < 768)
  const allColumns = [
    ['LineNumber', (line: Line) => line.lineNumber],
    ['ProductCode', (line: Line) => line.productCode],
    ['Ordered', (line: Line) => `${decimal(line.quantity)} ${line.unitCode}`],
    ['Shipped', (line: Line) => decimal(line.quantityShipped)],
    ['Received', (line: Line) => decimal(line.quantityReceived)],
    ['UnitPrice', (line: Line) => decimal(line.unitPrice)],
    ['Amount', (line: Line) => money(line.lineAmount, order.currencyCode)],
  ] as const
  const columns = isNarrow ? allColumns.filter(([name]) => essential.has(name)) : allColumns
  return (
    <Stack gap="sm" component="section">
      <Group justify="space-between">
        <Title order={2}>{t('Hub::DisplayName:Order:Lines')}</Title>
        {mayEdit && (
          <Button
            size="xs"
            variant="default"
            leftSection={<Icon name="plus" size={16} />}
            onClick={() => edit('new')}
          >
            {t('Ops:AddLine')}
          </Button>
        )}
      </Group>
      {lines.error && <ErrorAlert error={lines.error} retry={() => void lines.refetch()} />}
      {lines.isPending && <Skeleton height={88} />}
      {lines.data?.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('Ops:NoLinesHint')}
        </Text>
      )}
      {all.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by the keyboard
        <section className="keel-list" tabIndex={0} aria-label={t('Hub::DisplayName:Order:Lines')}>
          <table>
            <thead>
              <tr>
                {columns.map(([name]) => (
                  <th key={name} scope="col" data-figure={isFigure(name)}>
                    {t(own(name))}
                  </th>
                ))}
                {mayEdit && (
                  <th scope="col" data-actions>
                    <span className="visually-hidden">{t('AbpUi::Actions')}</span>
                  </th>
                )}
              </tr>
            </thead>
            <tbody>
              {all.map((line) => (
                <tr key={line.id} data-row={line.id}>
                  {columns.map(([name, cell]) => (
                    <td
                      key={name}
                      data-figure={isFigure(name)}
                      title={name === 'ProductCode' ? (line.description ?? undefined) : undefined}
                    >
                      {cell(line)}
                    </td>
                  ))}
                  {mayEdit && (
                    <td data-actions>
                      <RowMenu
                        row={line}
                        name={`${line.lineNumber} ${line.productCode}`}
                        actions={[
                          { title: 'AbpUi::Edit', icon: 'edit', run: edit },
                          { title: 'Remove', icon: 'trash', isDangerous: true, run: remove },
                        ]}
                      />
                    </td>
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {edited && (
        <PartDialog
          title={t(edited === 'new' ? 'Ops:AddLine' : 'Ops:EditLine')}
          draft={`order-line:${order.id}:${edited === 'new' ? 'new' : edited.id}`}
          part={edited === 'new' ? undefined : edited}
          whole={{ parts: all, stamp: order.concurrencyStamp }}
          load={() => linesOf(order.id)}
          isSame={(one, other) => one.lineNumber === other.lineNumber}
          valuesOf={(line) => valuesOf(line, next)}
          fields={fields}
          fieldOfCode={{ DuplicateLineNumber: 'lineNumber', InvalidCode: 'hsCode' }}
          asInput={asInput}
          save={(written, concurrencyStamp) =>
            run(orders.setLines, order.id, { lines: written as never, concurrencyStamp })
          }
          onClose={() => edit(undefined)}
        />
      )}
      {removed && (
        <Confirm
          title={t('Remove')}
          action={t('Remove')}
          onConfirm={() =>
            run(orders.setLines, order.id, {
              lines: all.filter(({ id }) => id !== removed.id).map(asInput) as never,
              concurrencyStamp: order.concurrencyStamp,
            })
          }
          onClose={() => remove(undefined)}
        >
          {t('Ops:DeleteRowHint', { name: `${removed.lineNumber} ${removed.productCode}` })}
        </Confirm>
      )}
    </Stack>
  )
}

async function linesOf(id: string): Promise<Whole<Line>> {
  const [order, parts] = await Promise.all([orders.get(id), orders.getLines(id)])
  return { parts, stamp: order.concurrencyStamp }
}

/** Asks for quantities of lines: of what arrived, or of what goes into an order of its own. */
export function QuantityDialog({
  kind,
  order,
  onClose,
}: {
  readonly kind: 'receive' | 'split'
  readonly order: Order
  readonly onClose: () => void
}) {
  const { t } = useApplication()
  const { decimal } = useFormats()
  const tell = useTell()
  const navigate = useNavigate()
  const lines = useQuery(orders.getLines, order.id)
  const { run } = useMutation()
  const title = t(kind === 'receive' ? 'Ops:ReceiveOrder' : 'Ops:SplitOrder')
  const form = useForm({
    draft: `${kind}:${order.id}`,
    initial: { quantities: {} as Readonly<Record<string, string>> },
    async save({ quantities }) {
      const given = Object.entries(quantities).map(([orderLineId, typed]) => ({
        orderLineId,
        quantity: typed.trim().replace(',', '.'),
      }))
      const input = { lines: given, concurrencyStamp: order.concurrencyStamp }
      const call = kind === 'receive' ? orders.receive : orders.split
      const { id } = await run(call, order.id, input).catch((refusal) => {
        throw atItsLine(refusal, given)
      })
      tell(t('Ops:Done', { action: title, name: orderName(order) }))
      onClose()
      if (kind === 'split') await navigate({ to: `/orders/${id}` as never })
    },
  })
  const { quantities } = form.values
  const type = (lineId: string, typed: string) => {
    const { [lineId]: _, ...others } = quantities
    form.set('quantities', typed.trim() === '' ? others : { ...others, [lineId]: typed })
  }
  return (
    <Dialog title={`${title}: ${orderName(order)}`} size="lg" onClose={onClose}>
      <FormBody form={form} onCancel={onClose} submitText={title}>
        <Text size="sm" c="dimmed">
          {t(kind === 'receive' ? 'Ops:ReceiveOrderHint' : 'Ops:SplitOrderHint')}
        </Text>
        {lines.error && <ErrorAlert error={lines.error} retry={() => void lines.refetch()} />}
        {lines.isPending && <Skeleton height={88} />}
        {lines.data?.map((line) => (
          <Group key={line.id} justify="space-between" wrap="nowrap" align="center">
            <Stack gap={0} style={{ minWidth: 0 }}>
              <Text size="sm" fw={550} truncate>
                {line.lineNumber} · {line.productCode}
              </Text>
              <Text size="xs" c="dimmed">
                {t(own('Ordered'))}: {decimal(line.quantity)} {line.unitCode} · {t(own('Shipped'))}:{' '}
                {decimal(line.quantityShipped)} · {t(own('Received'))}: {decimal(line.quantityReceived)}
              </Text>
            </Stack>
            <TextInput
              aria-label={`${t('Hub::DisplayName:Order:TotalQuantity')}: ${line.lineNumber} ${line.productCode}`}
              inputMode="decimal"
              w={140}
              value={quantities[line.id] ?? ''}
              error={form.errorAt(`quantities.${line.id}`)}
              onChange={({ currentTarget }) => type(line.id, currentTarget.value)}
            />
          </Group>
        ))}
      </FormBody>
    </Dialog>
  )
}

/** A refusal of quantities, each fault at the line that it was entered for: the server counts those that were given. */
function atItsLine(
  refusal: Error & { validationErrors?: readonly { message: string; members: readonly string[] }[] },
  given: readonly { readonly orderLineId: string }[],
): unknown {
  if (!refusal.validationErrors) return refusal
  const validationErrors = refusal.validationErrors.map(({ message, members: [member = ''] }) => {
    const line = given[Number(/^lines\[(\d+)\]/.exec(member)?.[1])]
    return {
      message: message.replace(`${member}: `, ''),
      members: line ? [`quantities.${line.orderLineId}`] : [],
    }
  })
  return { ...refusal, message: refusal.message, validationErrors }
}
