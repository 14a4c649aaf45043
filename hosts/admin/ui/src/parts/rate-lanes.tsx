import '@mantine/core/styles/Table.css'
import {
  ChargeCondition,
  LanePointType,
  mostBreaks,
  RateBasis,
  type RateBreakDto,
  type RateCardDto,
  type RateLaneDto,
  type RateLineDto,
} from '@keel/pricing-proxy'
import { useMutation, useQuery } from '@keel/react'
import { Alert, Anchor, Button, Group, Skeleton, Stack, Table, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { type Translate, useApplication } from '../application.js'
import { Confirm } from './confirm.js'
import { Dialog } from './dialog.js'
import { Drawer } from './drawer.js'
import { EditDialog, type Editing } from './edit-dialog.js'
import { Facts } from './facts.js'
import type { Field } from './fields.js'
import { FormBody, useForm } from './form.js'
import { useFormats } from './formats.js'
import { Icon } from './icons.js'
import { useTell } from './notices.js'
import {
  lookups,
  rateCards,
  rateLanes,
  rateLines,
  useChargeCodes,
  useCurrencies,
  usePricingEnum,
  useRateBases,
  useZones,
} from './pricing.js'
import { RemoveButton } from './remove-button.js'
import { decimalOf, Sheet, type SheetColumn, type SheetRow } from './sheet.js'
import { EmptyState, ErrorAlert } from './states.js'
import { useUrlState } from './url-state.js'

type Lane = InstanceType<typeof RateLaneDto>
type Line = InstanceType<typeof RateLineDto>
type Break = InstanceType<typeof RateBreakDto>
type RateCard = InstanceType<typeof RateCardDto>

/** The key of a label of lanes. */
export const ofLane = (name: string) => `Pricing:Lane:${name}`
const ofLine = (name: string) => `Pricing:Line:${name}`

/** Where a lane begins or ends, in words. */
export function laneEnd(lane: Lane, end: 'origin' | 'destination', t: Translate): string {
  const zone = lane[`${end}Zone`]
  return (
    lane[`${end}UnLocode`] ??
    (zone ? zone.code : undefined) ??
    lane[`${end}CountryCode`] ??
    t(`Pricing::Enum:LanePointType.${LanePointType.Any}`)
  )
}

function laneValues(lane?: Lane) {
  return {
    laneNumber: lane?.laneNumber ?? (null as number | null),
    originType: lane?.originType ?? LanePointType.Port,
    originUnLocode: lane?.originUnLocode ?? '',
    originZoneId: lane?.originZoneId ?? (null as string | null),
    originCountryCode: lane?.originCountryCode ?? '',
    destinationType: lane?.destinationType ?? LanePointType.Port,
    destinationUnLocode: lane?.destinationUnLocode ?? '',
    destinationZoneId: lane?.destinationZoneId ?? (null as string | null),
    destinationCountryCode: lane?.destinationCountryCode ?? '',
    viaUnLocode: lane?.viaUnLocode ?? '',
    carrierCode: lane?.carrierCode ?? '',
    serviceLevelCode: lane?.serviceLevelCode ?? '',
    transitDays: lane?.transitDays ?? (null as number | null),
    departuresPerWeek: lane?.departuresPerWeek ?? '',
    freeDays: lane?.freeDays ?? (null as number | null),
    isActive: lane?.isActive ?? true,
  }
}
type LaneValues = ReturnType<typeof laneValues>

/** A lane of a draft: origin, destination, and how it is served. */
export function LaneDialog({
  id,
  rateCardId,
  onClose,
}: {
  /** Undefined for a new one. */
  readonly id: string | undefined
  readonly rateCardId: string
  readonly onClose: () => void
}) {
  const { t } = useApplication()
  const zones = useZones()
  const types = usePricingEnum('LanePointType', LanePointType)
  const lanes = useQuery(rateLanes.getList, { rateCardId, maxResultCount: 1, sorting: 'laneNumber DESC' })
  const next = (lanes.data?.items[0]?.laneNumber ?? 0) + 1
  const ends = (['origin', 'destination'] as const).flatMap((end): Field<LaneValues>[] => {
    const title = `Pricing::DisplayName:Quote:${end === 'origin' ? 'Origin' : 'Destination'}UnLocode`
    const isType = (type: LanePointType) => (values: LaneValues) => values[`${end}Type`] === type
    return [
      { name: `${end}Type`, title: ofLane(`${end}Type`), kind: 'enum', options: types, isRequired: true },
      {
        name: `${end}UnLocode`,
        title,
        kind: 'code',
        lookup: lookups.port,
        isShown: isType(LanePointType.Port),
      },
      { name: `${end}ZoneId`, title, kind: 'choice', options: zones, isShown: isType(LanePointType.Zone) },
      {
        name: `${end}CountryCode`,
        title,
        hint: 'CountryCodeHint',
        isShown: isType(LanePointType.Country),
      },
    ]
  })
  const fields: readonly Field<LaneValues>[] = [
    ...ends,
    { name: 'laneNumber', title: ofLane('LaneNumber'), kind: 'number', isRequired: true },
    { name: 'transitDays', title: ofLane('TransitDays'), kind: 'number' },
    { name: 'viaUnLocode', title: 'Pricing:Via', kind: 'code', lookup: lookups.port },
    {
      name: 'carrierCode',
      title: 'Pricing::DisplayName:RateCard:CarrierCode',
      hint: 'Pricing:LaneCarrierHint',
      kind: 'code',
      lookup: lookups.carrier,
    },
    { name: 'serviceLevelCode', title: ofLane('ServiceLevel'), kind: 'code', lookup: lookups.serviceLevel },
    { name: 'departuresPerWeek', title: ofLane('DeparturesPerWeek'), kind: 'decimal' },
    { name: 'freeDays', title: ofLane('FreeDays'), kind: 'number' },
    { name: 'isActive', title: 'Active', kind: 'switch' },
  ]
  if (id === undefined && lanes.isPending) return null
  const editing: Editing<Lane, LaneValues> = {
    draft: `lane:${rateCardId}`,
    get: rateLanes.get,
    create: rateLanes.create as never,
    update: rateLanes.update as never,
    valuesOf: (lane) => ({ ...laneValues(lane), ...(!lane && { laneNumber: next }) }),
    fields,
    // Only the place that the type names is sent.
    toInput: (values) => ({
      ...values,
      ...Object.fromEntries(
        ends
          .filter(({ isShown, kind }) => kind !== 'enum' && !isShown?.(values))
          .map(({ name }) => [name, null]),
      ),
      rateCardId,
    }),
    fieldOfCode: { AlreadyExists: 'laneNumber' },
    // The card has another stamp then.
    alsoInvalidates: [rateCards.get],
  }
  return (
    <EditDialog
      id={id}
      title={t(id ? 'Pricing::Entity:RateLane' : 'Pricing:NewLane')}
      editing={editing}
      onClose={onClose}
    />
  )
}

/** A lane with its lines; the breaks of a line are edited in a sheet. */
export function LaneDrawer({
  id,
  card,
  mayEdit,
  onClose,
}: {
  readonly id: string
  readonly card: RateCard
  readonly mayEdit: boolean
  readonly onClose: () => void
}) {
  const { t } = useApplication()
  const [url, setUrl] = useUrlState()
  const lane = useQuery(rateLanes.get, id)
  const lines = useQuery(rateLines.getList, { rateLaneId: id, maxResultCount: 1000 })
  const ofBreaks = lines.data?.items.find((line) => line.id === url['breaks'])
  const title = lane.data
    ? `${lane.data.laneNumber}. ${laneEnd(lane.data, 'origin', t)} → ${laneEnd(lane.data, 'destination', t)}`
    : ''
  return (
    <Drawer onClose={onClose} size="xl" title={title}>
      <Stack gap="lg">
        {lane.error && <ErrorAlert error={lane.error} retry={() => void lane.refetch()} />}
        {lines.error && <ErrorAlert error={lines.error} retry={() => void lines.refetch()} />}
        {lane.data && (
          <Facts
            facts={[
              ['Pricing::DisplayName:RateCard:CarrierCode', lane.data.carrierCode ?? card.carrierCode],
              ['Pricing:Via', lane.data.viaUnLocode],
              [ofLane('TransitDays'), lane.data.transitDays],
              [ofLane('DeparturesPerWeek'), lane.data.departuresPerWeek],
              [ofLane('FreeDays'), lane.data.freeDays],
              [ofLane('ServiceLevel'), lane.data.serviceLevelCode],
            ]}
          />
        )}
        <Group justify="space-between">
          <Title order={3} fz="md">
            {t('Pricing:Lines')}
          </Title>
          {mayEdit && (
            <Button
              size="xs"
              leftSection={<Icon name="plus" />}
              onClick={() => setUrl({ line: 'new' }, true)}
            >
              {t('Pricing:NewLine')}
            </Button>
          )}
        </Group>
        {lines.isPending && <Skeleton height={160} />}
        {lines.data?.items.length === 0 && (
          <EmptyState icon="list" title={t('NothingYet')}>
            {t('Pricing:NoLinesHint')}
          </EmptyState>
        )}
        {lines.data && lines.data.items.length > 0 && <Lines lines={lines.data.items} mayEdit={mayEdit} />}
      </Stack>
      {url['line'] && mayEdit && (
        <LineDialog
          id={url['line'] === 'new' ? undefined : url['line']}
          rateLaneId={id}
          currency={card.currencyCode}
          onClose={() => setUrl({ line: undefined })}
        />
      )}
      {ofBreaks && (
        <BreaksDialog line={ofBreaks} mayEdit={mayEdit} onClose={() => setUrl({ breaks: undefined })} />
      )}
    </Drawer>
  )
}

function nameOf({ chargeCode, containerTypeCode }: Line): string {
  return [chargeCode?.code, containerTypeCode].filter(Boolean).join(' · ')
}

function Lines({ lines, mayEdit }: { readonly lines: readonly Line[]; readonly mayEdit: boolean }) {
  const { t } = useApplication()
  const formats = useFormats()
  const tell = useTell()
  const [, setUrl] = useUrlState()
  const [removed, remove] = useState<Line>()
  const { run } = useMutation(rateCards.get)
  return (
    <>
      <Table.ScrollContainer minWidth={560}>
        <Table verticalSpacing={6} highlightOnHover>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('Pricing:Charge')}</Table.Th>
              <Table.Th>{t('Pricing::DisplayName:ChargeCode:DefaultBasis')}</Table.Th>
              <Table.Th ta="end">{t(ofLine('Amount'))}</Table.Th>
              <Table.Th ta="end">{t(ofLine('Bounds'))}</Table.Th>
              <Table.Th>
                <span className="visually-hidden">{t('AbpUi::Actions')}</span>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {lines.map((line) => (
              <Table.Tr key={line.id}>
                <Table.Td>
                  {mayEdit ? (
                    <Anchor
                      component="button"
                      type="button"
                      size="sm"
                      fw={550}
                      onClick={() => setUrl({ line: line.id }, true)}
                    >
                      {nameOf(line)}
                    </Anchor>
                  ) : (
                    nameOf(line)
                  )}
                  <Text size="xs" c="dimmed">
                    {line.chargeCode?.name}
                    {line.appliesWhen !== ChargeCondition.Always &&
                      ` · ${t(`Pricing::Enum:ChargeCondition.${line.appliesWhen}`)}`}
                  </Text>
                </Table.Td>
                <Table.Td>{t(`Pricing::Enum:RateBasis.${line.basis}`)}</Table.Td>
                <Table.Td ta="end">
                  {line.amount == null ? '–' : `${formats.decimal(line.amount)} ${unitOf(line)}`}
                </Table.Td>
                <Table.Td ta="end">{bounds(line)}</Table.Td>
                <Table.Td>
                  <Group gap={4} wrap="nowrap" justify="flex-end">
                    <Button
                      size="compact-sm"
                      variant="default"
                      aria-label={`${t('Pricing:Breaks')}: ${nameOf(line)}`}
                      onClick={() => setUrl({ breaks: line.id }, true)}
                    >
                      {t('Pricing:Breaks')}
                    </Button>
                    {mayEdit && (
                      <RemoveButton
                        label={`${t('AbpUi::Delete')}: ${nameOf(line)}`}
                        onClick={() => remove(line)}
                      />
                    )}
                  </Group>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {removed && (
        <Confirm
          title={t('AbpUi::Delete')}
          action={t('AbpUi::Delete')}
          onConfirm={async () => {
            await run(rateLines.delete, removed.id)
            tell(t('AbpUi::DeletedSuccessfully'))
          }}
          onClose={() => remove(undefined)}
        >
          {t('Pricing:DeleteLineHint', { name: nameOf(removed) })}
        </Confirm>
      )}
    </>
  )

  function unitOf({ basis, currencyCode }: Line): string {
    return basis === RateBasis.PercentOfGroup || basis === RateBasis.PercentOfValue ? '%' : currencyCode
  }

  function bounds({ minAmount, maxAmount, currencyCode }: Line): string {
    if (minAmount == null && maxAmount == null) return ''
    return `${formats.decimal(minAmount) || '0'} – ${formats.decimal(maxAmount) || '∞'} ${currencyCode}`
  }
}

function LineDialog({
  id,
  rateLaneId,
  currency,
  onClose,
}: {
  readonly id: string | undefined
  readonly rateLaneId: string
  readonly currency: string
  readonly onClose: () => void
}) {
  const { t } = useApplication()
  const valuesOf = (line?: Line) => ({
    chargeCodeId: line?.chargeCodeId ?? (null as string | null),
    basis: line?.basis ?? RateBasis.PerContainer,
    containerTypeCode: line?.containerTypeCode ?? '',
    currencyCode: line?.currencyCode ?? currency,
    amount: line?.amount ?? '',
    minAmount: line?.minAmount ?? '',
    maxAmount: line?.maxAmount ?? '',
    appliesWhen: line?.appliesWhen ?? ChargeCondition.Always,
    allowHigherBreak: line?.allowHigherBreak ?? false,
  })
  type Values = ReturnType<typeof valuesOf>
  const fields: readonly Field<Values>[] = [
    {
      name: 'chargeCodeId',
      title: 'Pricing:Charge',
      kind: 'choice',
      options: useChargeCodes(),
      isRequired: true,
    },
    {
      name: 'basis',
      title: 'Pricing::DisplayName:ChargeCode:DefaultBasis',
      kind: 'enum',
      options: useRateBases(),
      isRequired: true,
    },
    {
      name: 'containerTypeCode',
      title: 'Pricing:Cargo:ContainerType',
      hint: 'Pricing:EmptyForAll',
      kind: 'code',
      lookup: lookups.containerType,
      isShown: ({ basis }) => basis === RateBasis.PerContainer || basis === RateBasis.PerTeu,
    },
    {
      name: 'currencyCode',
      title: 'Pricing::DisplayName:RateCard:CurrencyCode',
      kind: 'choice',
      options: useCurrencies(),
      isRequired: true,
    },
    { name: 'amount', title: ofLine('Amount'), hint: 'Pricing:AmountHint', kind: 'decimal' },
    { name: 'minAmount', title: ofLine('MinAmount'), kind: 'decimal' },
    { name: 'maxAmount', title: ofLine('MaxAmount'), kind: 'decimal' },
    {
      name: 'appliesWhen',
      title: ofLine('AppliesWhen'),
      kind: 'enum',
      options: usePricingEnum('ChargeCondition', ChargeCondition),
      isRequired: true,
    },
    {
      name: 'allowHigherBreak',
      title: ofLine('AllowHigherBreak'),
      hint: 'Pricing:HigherBreakHint',
      kind: 'check',
    },
  ]
  const editing: Editing<Line, Values> = {
    draft: `line:${rateLaneId}`,
    get: rateLines.get,
    create: rateLines.create as never,
    update: rateLines.update as never,
    valuesOf,
    fields,
    toInput: (values) => ({
      ...values,
      ...(fields.some(({ name, isShown }) => name === 'containerTypeCode' && !isShown?.(values)) && {
        containerTypeCode: null,
      }),
      rateLaneId,
    }),
    fieldOfCode: { Duplicate: 'chargeCodeId' },
    alsoInvalidates: [rateCards.get],
  }
  return (
    <EditDialog
      id={id}
      title={t(id ? 'Pricing::Entity:RateLine' : 'Pricing:NewLine')}
      editing={editing}
      onClose={onClose}
    />
  )
}

const breakColumns: readonly SheetColumn[] = [
  { id: 'fromQuantity', title: 'Pricing:Break:From', kind: 'number' },
  { id: 'amount', title: 'Pricing:Line:Amount', kind: 'number' },
  { id: 'isFlat', title: 'Pricing:Break:IsFlat', kind: 'flag' },
]
const emptyBreak: SheetRow = { fromQuantity: '', amount: '', isFlat: false }

/** The breaks of a line in a sheet: all of them are saved at once. */
function BreaksDialog({
  line,
  mayEdit,
  onClose,
}: {
  readonly line: Line
  readonly mayEdit: boolean
  readonly onClose: () => void
}) {
  const { t } = useApplication()
  const breaks = useQuery(rateLines.getBreaks, line.id)
  return (
    <Dialog size="lg" title={`${t('Pricing:Breaks')}: ${nameOf(line)}`} onClose={onClose}>
      {breaks.error && <ErrorAlert error={breaks.error} retry={() => void breaks.refetch()} />}
      {breaks.isPending && <Skeleton height={200} />}
      {breaks.data && (
        <fieldset disabled={!mayEdit} className="keel-plain">
          <BreaksForm line={line} breaks={breaks.data} onClose={onClose} />
        </fieldset>
      )}
    </Dialog>
  )
}

function BreaksForm({
  line,
  breaks,
  onClose,
}: {
  readonly line: Line
  readonly breaks: readonly Break[]
  readonly onClose: () => void
}) {
  const { t } = useApplication()
  const tell = useTell()
  const { run } = useMutation(rateCards.get)
  const form = useForm<{ breaks: readonly SheetRow[] }>({
    draft: `breaks:${line.id}`,
    initial: {
      breaks: breaks.length
        ? breaks.map(({ fromQuantity, amount, isFlat }) => ({ fromQuantity, amount, isFlat }))
        : [{ ...emptyBreak, fromQuantity: '0' }],
    },
    async save(values) {
      const rows = values.breaks.map(({ fromQuantity, amount, isFlat }) => ({
        fromQuantity: decimalOf(fromQuantity) ?? '',
        amount: decimalOf(amount) ?? '',
        isFlat: isFlat === true,
      }))
      await run(rateLines.setBreaks, line.id, { breaks: rows }).catch((refusal) => {
        throw atItsCell(refusal, rows)
      })
      tell(t('AbpUi::SavedSuccessfully'))
      onClose()
    },
  })
  const hasCellErrors = form.values.breaks.some((_, row) =>
    breakColumns.some(({ id }) => form.errorAt(`breaks.${row}.${id}`)),
  )
  return (
    <FormBody form={form} onCancel={onClose}>
      <Text size="sm" c="dimmed">
        {t('Pricing:BreaksHint', {
          basis: t(`Pricing::Enum:RateBasis.${line.basis}`),
          currency: line.currencyCode,
        })}
      </Text>
      {!hasCellErrors && form.errorOf('breaks') && (
        <Alert color="red" variant="light" role="alert">
          {form.errorOf('breaks')}
        </Alert>
      )}
      <Sheet
        label={t('Pricing:Breaks')}
        columns={breakColumns}
        rows={form.values.breaks}
        most={mostBreaks}
        emptyRow={emptyBreak}
        onChange={(rows) => form.set('breaks', rows)}
        errorAt={(row, column) => form.errorAt(`breaks.${row}.${column}`)}
      />
    </FormBody>
  )
}

/** A refusal for want of an ascending order, as a fault of the cell that it names. */
function atItsCell(
  refusal: Error & { code?: string; data?: Readonly<Record<string, unknown>> },
  rows: readonly { fromQuantity: string }[],
): unknown {
  if (!refusal.code?.endsWith(':NotAscending')) return refusal
  const place = rows.findIndex(({ fromQuantity }, row) => {
    const before = rows[row - 1]
    return before ? Number(fromQuantity) <= Number(before.fromQuantity) : Number(fromQuantity) !== 0
  })
  return {
    ...refusal,
    validationErrors: [{ message: refusal.message, members: [`breaks[${place}].fromQuantity`] }],
  }
}
