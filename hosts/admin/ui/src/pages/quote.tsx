import '@mantine/core/styles/Table.css'
import {
  type QuoteAction,
  type QuoteDto,
  type QuoteOptionDto,
  QuotePermissions,
  QuoteStatus,
  type ReRatingDto,
  statusAfter,
} from '@keel/pricing-proxy'
import { queryOf, useMutation, useQuery, useQueryWhen } from '@keel/react'
import {
  Alert,
  Badge,
  Button,
  Card,
  Group,
  SimpleGrid,
  Skeleton,
  Stack,
  Table,
  Text,
  Title,
} from '@mantine/core'
import { useQuery as useTanstackQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useApplication } from '../application.js'
import { BackLink } from '../parts/back-link.js'
import { CargoSheet, cargoInput, cargoRows, cargoWords } from '../parts/cargo-sheet.js'
import { Dialog } from '../parts/dialog.js'
import { saveFile } from '../parts/download.js'
import { EditDialog, type Editing } from '../parts/edit-dialog.js'
import { Facts } from '../parts/facts.js'
import type { Field } from '../parts/fields.js'
import { ConflictDialog, FormBody, useForm } from '../parts/form.js'
import { useFormats } from '../parts/formats.js'
import { Icon } from '../parts/icons.js'
import { useTell } from '../parts/notices.js'
import { PageHead } from '../parts/page-head.js'
import { ofQuote, QuoteBadge, quotes, requestOf, useRequestFields } from '../parts/pricing.js'
import { ChargesTable, ExplanationDrawer, OptionCards } from '../parts/quote-options.js'
import { ShipmentLink } from '../parts/shipment-link.js'
import { EmptyState, ErrorAlert } from '../parts/states.js'
import { reasonField, type Step, Steps } from '../parts/steps.js'
import { type Comparing, seenState, ThingConflict } from '../parts/thing-conflict.js'
import { useUrlState } from '../parts/url-state.js'

type Quote = InstanceType<typeof QuoteDto>
type Option = InstanceType<typeof QuoteOptionDto>

/** An accepted quote becomes a shipment in the background, a moment later: so often it is asked for again, and this many times at most. */
const [askAgainMs, mostAsked] = [2000, 30]

/** A quote: request and cargo, its options compared, the charges of one with their explanations, and what can be done now. */
export function Page() {
  const { t } = useApplication()
  const { id } = useParams({ strict: false }) as { id: string }
  const quote = useTanstackQuery({
    ...queryOf(quotes.get, id),
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      data?.status === QuoteStatus.Accepted && dataUpdateCount < mostAsked ? askAgainMs : false,
  })
  return (
    <>
      <BackLink to="/quotes" title={t('Pricing:Quotes')} />
      {quote.error && <ErrorAlert error={quote.error} retry={() => void quote.refetch()} />}
      {quote.isPending && <Skeleton height={420} />}
      {quote.data && <Loaded quote={quote.data} />}
    </>
  )
}

function Loaded({ quote }: { readonly quote: Quote }) {
  const { t, may } = useApplication()
  const [url, setUrl] = useUrlState()
  const { id, reference, organizationName, originUnLocode, destinationUnLocode, status, statusReason } = quote
  const mayEdit = may(QuotePermissions.Edit) && statusAfter('edit', status) !== undefined
  return (
    <>
      <PageHead
        title={reference}
        hint={`${organizationName} · ${originUnLocode} → ${destinationUnLocode}`}
        badge={<QuoteBadge status={status} />}
      >
        <QuoteSteps quote={quote} onEdit={mayEdit ? () => setUrl({ edit: id }, true) : undefined} />
      </PageHead>
      {statusReason && (
        <Alert color="orange" variant="light" mb="md" title={t(ofQuote('StatusReason'))}>
          {statusReason}
        </Alert>
      )}
      <Stack gap="md">
        <Options quote={quote} />
        <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
          <Request quote={quote} />
          <Cargo quote={quote} onEdit={mayEdit ? () => setUrl({ cargo: 'edit' }, true) : undefined} />
        </SimpleGrid>
      </Stack>
      {url['edit'] && mayEdit && <RequestDialog id={id} onClose={() => setUrl({ edit: undefined })} />}
      {url['reRate'] && may(QuotePermissions.Edit) && statusAfter('reRate', status) !== undefined && (
        <ReRateDialog quote={quote} onClose={() => setUrl({ reRate: undefined })} />
      )}
      {url['cargo'] && mayEdit && <CargoDialog quote={quote} onClose={() => setUrl({ cargo: undefined })} />}
    </>
  )
}

/** What is shown of a quote that was changed before a step. */
function useComparing(): Comparing<Quote> {
  const { t, formatInstant } = useApplication()
  const formats = useFormats()
  return {
    load: quotes.get,
    seenOf: (quote) => ({
      [ofQuote('Status')]: t(`Pricing::Enum:QuoteStatus.${quote.status}`),
      [ofQuote('StatusReason')]: quote.statusReason ?? '',
      [ofQuote('PricingDate')]: formats.date(quote.pricingDate),
      [ofQuote('ValidUntil')]: formats.date(quote.validUntil),
      'Pricing:Cargo': cargoWords(cargoRows(quote.cargoLines)),
      'Pricing:Options': (quote.options ?? [])
        .map(
          ({ optionNumber, totalSell }) => `${optionNumber}. ${formats.money(totalSell, quote.currencyCode)}`,
        )
        .join('\n'),
      [ofQuote('Notes')]: quote.notes ?? '',
      // Tells versions apart that differ in nothing of the above.
      'AbpUi::DisplayName:LastModificationTime': formatInstant(
        quote.lastModificationTime ?? quote.creationTime,
      ),
    }),
  }
}

/** What the caller may do with the quote now. */
function QuoteSteps({ quote, onEdit }: { readonly quote: Quote; readonly onEdit: (() => void) | undefined }) {
  const { may, host } = useApplication()
  const navigate = useNavigate()
  const [, setUrl] = useUrlState()
  const { id, status, cargoLines, creatorId, reference, statusReason, options } = quote
  const comparing = useComparing()
  const can = (action: QuoteAction, permission: string) =>
    may(permission) && statusAfter(action, status) !== undefined
  const steps: Step[] = [
    {
      title: 'Pricing:Calculate',
      icon: 'refresh',
      isPossible: can('calculate', QuotePermissions.Edit) && Boolean(cargoLines?.length),
      isMain: status === QuoteStatus.Draft,
      run: (_, mutate, stamp) => mutate(quotes.calculate, id, stamp),
      done: 'Pricing:Calculated',
    },
    {
      title: 'Pricing:Send',
      icon: 'mail',
      isPossible: can('submit', QuotePermissions.Send),
      isMain: true,
      hint: 'Pricing:SendHint',
      run: (_, mutate, stamp) => mutate(quotes.submit, id, stamp),
    },
    {
      title: 'Pricing:Approve',
      icon: 'check',
      // The approver is somebody else than the creator.
      isPossible: can('approve', QuotePermissions.Approve) && creatorId !== host.currentUser.id,
      isMain: true,
      run: (_, mutate, stamp) => mutate(quotes.approve, id, stamp),
    },
    {
      title: 'Pricing:Return',
      icon: 'history',
      isPossible: can('return', QuotePermissions.Approve),
      isMain: true,
      fields: [reasonField],
      run: ({ reason = '' }, mutate, stamp) => mutate(quotes.return, id, { reason, ...stamp }),
    },
    {
      title: 'Pricing:Reject',
      icon: 'close',
      isPossible: can('reject', QuotePermissions.Accept),
      isMain: true,
      isDangerous: true,
      fields: [reasonField],
      run: ({ reason = '' }, mutate, stamp) => mutate(quotes.reject, id, { reason, ...stamp }),
    },
    {
      title: 'Pricing:Convert',
      icon: 'box',
      // The shipment follows by itself; with a reason it was refused.
      isPossible: can('convert', QuotePermissions.Accept) && Boolean(statusReason),
      isMain: true,
      fields: [{ name: 'shipmentReference', title: 'Pricing:ShipmentReference', isRequired: true }],
      values: { shipmentReference: reference },
      run: ({ shipmentReference = '' }, mutate, stamp) =>
        mutate(quotes.convertToShipment, id, { shipmentReference, ...stamp }),
    },
    {
      title: 'Pricing:EditRequest',
      icon: 'edit',
      isPossible: onEdit !== undefined,
      run: async () => onEdit?.(),
      done: false,
    },
    {
      title: 'Pricing:DownloadPdf',
      icon: 'download',
      isPossible: Boolean(options?.length),
      run: () => quotes.getPdf(id, {}).then(saveFile),
      done: 'Exported',
    },
    {
      title: 'Pricing:ReRate',
      icon: 'refresh',
      isPossible: can('reRate', QuotePermissions.Edit),
      run: async () => setUrl({ reRate: 'open' }, true),
      done: false,
    },
    {
      title: 'Copy',
      icon: 'copy',
      isPossible: may(QuotePermissions.Create),
      run: async (_, mutate, stamp) => {
        const copy = await mutate(quotes.copy, id, stamp)
        void navigate({ to: `/quotes/${copy.id}` } as never)
      },
      done: 'Pricing:Copied',
    },
    {
      title: 'Pricing:Cancel',
      icon: 'trash',
      isDangerous: true,
      isPossible: can('cancel', QuotePermissions.Edit),
      fields: [reasonField],
      run: ({ reason = '' }, mutate, stamp) => mutate(quotes.cancel, id, { reason, ...stamp }),
    },
  ]
  return <Steps steps={steps} draft={`quote:${id}`} thing={quote} comparing={comparing} />
}

/** The options, and the charges of the one that is chosen. */
function Options({ quote }: { readonly quote: Quote }) {
  const { t, may } = useApplication()
  const [url, setUrl] = useUrlState()
  const { id, options, currencyCode, selectedOptionId, status, cargoLines, reference } = quote
  const comparing = useComparing()
  const hasOptions = Boolean(options?.length)
  const charges = useQueryWhen(hasOptions, quotes.getCharges, id)
  if (!options?.length)
    return (
      <Card withBorder padding="md">
        <EmptyState icon="tag" title={t('Pricing:NoOptions')}>
          {t(cargoLines?.length ? 'Pricing:NoOptionsHint' : 'Pricing:NoCargoHint')}
        </EmptyState>
      </Card>
    )
  const chosen =
    options.find(({ optionNumber }) => String(optionNumber) === url['option']) ??
    options.find((option) => option.id === selectedOptionId) ??
    (options[0] as Option)
  const shown = (charges.data ?? [])
    .filter(({ quoteOptionId }) => quoteOptionId === chosen.id)
    .sort((one, other) => one.sortOrder - other.sortOrder)
  const explained = shown.find((charge) => charge.id === url['charge'])
  const mayAccept = may(QuotePermissions.Accept) && statusAfter('accept', status) !== undefined
  const accepting = (option: Option): Step => ({
    title: 'Pricing:Accept',
    icon: 'check',
    isPossible: mayAccept,
    isMain: true,
    hint: 'Pricing:AcceptHint',
    fields: [
      {
        name: 'shipmentReference',
        title: 'Pricing:ShipmentReference',
        hint: 'Pricing:ShipmentReferenceHint',
      },
    ],
    values: { shipmentReference: reference },
    run: ({ shipmentReference = null }, mutate, stamp) =>
      mutate(quotes.accept, id, { optionId: option.id, shipmentReference, ...stamp }),
    done: 'Pricing:AcceptedNow',
  })
  return (
    <>
      <OptionCards
        options={options}
        currency={currencyCode}
        chosen={chosen.optionNumber}
        onChoose={(option) => setUrl({ option: String(option) })}
        badgesOf={({ optionNumber }) =>
          options.some((one) => one.optionNumber === optionNumber && one.id === selectedOptionId) && (
            <Badge color="green">{t('Pricing::Enum:QuoteStatus.4')}</Badge>
          )
        }
        actionOf={({ optionNumber }) => {
          const option = options.find((one) => one.optionNumber === optionNumber)
          return (
            option && (
              <Steps
                steps={[accepting(option)]}
                draft={`quote:${id}:${optionNumber}`}
                thing={quote}
                comparing={comparing}
                size="xs"
              />
            )
          )
        }}
      />
      <Stack gap="xs">
        <Title order={2}>{t('Pricing:ChargesOf', { number: chosen.optionNumber })}</Title>
        {charges.error && <ErrorAlert error={charges.error} retry={() => void charges.refetch()} />}
        {charges.isPending && <Skeleton height={200} />}
        {charges.data && (
          <ChargesTable
            charges={shown}
            currency={currencyCode}
            total={chosen.totalSell}
            onExplain={(charge) => setUrl({ charge: charge.id }, true)}
          />
        )}
      </Stack>
      {explained && (
        <ExplanationDrawer
          charge={explained}
          currency={currencyCode}
          onClose={() => setUrl({ charge: undefined })}
        />
      )}
    </>
  )
}

function Request({ quote }: { readonly quote: Quote }) {
  const { t, may } = useApplication()
  const formats = useFormats()
  const flag = (isSo: boolean) => isSo && t('AbpUi::Yes')
  return (
    <Card withBorder padding="md">
      <Title order={2} mb="xs">
        {t('Pricing:Request')}
      </Title>
      <Facts
        facts={[
          [
            'Hub::Entity:Shipment',
            quote.shipmentId && may('Shipment.View') && <ShipmentLink key="shipment" id={quote.shipmentId} />,
          ],
          [ofQuote('OrganizationName'), `${quote.organizationCode} · ${quote.organizationName}`],
          [ofQuote('TransportModeCode'), `${quote.transportModeCode} · ${quote.containerModeCode}`],
          [ofQuote('IncotermCode'), quote.incotermCode],
          [ofQuote('CargoReadyDate'), formats.date(quote.cargoReadyDate)],
          [ofQuote('PricingDate'), formats.date(quote.pricingDate)],
          [ofQuote('ValidUntil'), formats.date(quote.validUntil)],
          [ofQuote('GoodsValue'), formats.money(quote.goodsValue, quote.currencyCode)],
          [ofQuote('IsDangerousGoods'), flag(quote.isDangerousGoods)],
          [ofQuote('IsTemperatureControlled'), flag(quote.isTemperatureControlled)],
          [ofQuote('Notes'), quote.notes],
        ]}
      />
    </Card>
  )
}

function Cargo({ quote, onEdit }: { readonly quote: Quote; readonly onEdit: (() => void) | undefined }) {
  const { t } = useApplication()
  const formats = useFormats()
  const lines = quote.cargoLines ?? []
  return (
    <Card withBorder padding="md">
      <Group justify="space-between" mb="xs">
        <Title order={2}>{t('Pricing:Cargo')}</Title>
        {onEdit && (
          <Button variant="default" size="xs" leftSection={<Icon name="edit" />} onClick={onEdit}>
            {t('Pricing:EditCargo')}
          </Button>
        )}
      </Group>
      {lines.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('Pricing:NoCargoHint')}
        </Text>
      )}
      <Facts
        facts={[
          ...lines.map(
            (line) =>
              [
                `${line.lineNumber}. ${formats.decimal(line.quantity)} × ${line.containerTypeCode ?? line.packageTypeCode ?? t('Pricing:Package')}`,
                [
                  `${formats.decimal(line.grossWeightKg)} kg`,
                  line.volumeM3 != null && `${formats.decimal(line.volumeM3)} m³`,
                  sizeOf(line),
                  line.description,
                ]
                  .filter(Boolean)
                  .join(' · '),
              ] as const,
          ),
        ]}
        areTitlesTexts
      />
      {lines.length > 0 && (
        <Facts
          facts={[
            [ofQuote('GrossWeightKg'), formats.decimal(quote.grossWeightKg)],
            [ofQuote('VolumeM3'), formats.decimal(quote.volumeM3)],
          ]}
        />
      )}
    </Card>
  )

  function sizeOf({ lengthCm, widthCm, heightCm }: (typeof lines)[number]): string | false {
    const sides = [lengthCm, widthCm, heightCm]
    return (
      sides.every((side) => side != null) && `${sides.map((side) => formats.decimal(side)).join(' × ')} cm`
    )
  }
}

const requestValues = (quote?: Quote) => ({
  ...requestOf(quote),
  notes: quote?.notes ?? '',
  concurrencyStamp: quote?.concurrencyStamp ?? '',
})
type RequestValues = ReturnType<typeof requestValues>

function RequestDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { t } = useApplication()
  const fields: readonly Field<RequestValues>[] = [
    ...useRequestFields<RequestValues>(),
    { name: 'notes', title: ofQuote('Notes'), kind: 'area' },
  ]
  const editing: Editing<Quote, RequestValues> = {
    draft: 'quote',
    ownFields: 'Pricing.Quote',
    get: quotes.get,
    update: quotes.update as never,
    valuesOf: requestValues,
    fields,
    toInput: ({ pricingDate, ...values }) => ({ ...values, ...(pricingDate && { pricingDate }) }),
  }
  return <EditDialog id={id} title={t('Pricing:EditRequest')} editing={editing} onClose={onClose} />
}

function CargoDialog({ quote, onClose }: { readonly quote: Quote; readonly onClose: () => void }) {
  const { t } = useApplication()
  const tell = useTell()
  const { run } = useMutation()
  const { id } = quote
  const valuesOf = ({ cargoLines, concurrencyStamp }: Quote) => ({
    cargoLines: cargoRows(cargoLines),
    concurrencyStamp,
  })
  const form = useForm({
    draft: `quote-cargo:${id}`,
    initial: valuesOf(quote),
    async save({ cargoLines, concurrencyStamp }) {
      await run(quotes.setCargoLines, id, { cargoLines: cargoInput(cargoLines), concurrencyStamp })
      tell(t('AbpUi::SavedSuccessfully'))
      onClose()
    },
  })
  return (
    <Dialog size="xl" title={t('Pricing:EditCargo')} onClose={onClose}>
      <FormBody form={form} onCancel={onClose}>
        <CargoSheet form={form} />
      </FormBody>
      <ConflictDialog
        form={form}
        loadTheirs={async () => valuesOf(await quotes.get(id))}
        titles={{ cargoLines: t('Pricing:Cargo') }}
        wordsOf={(_name, rows) => cargoWords(rows as typeof form.values.cargoLines)}
      />
    </Dialog>
  )
}

/** What the rates of today change of a quote, before it is priced by them. */
function ReRateDialog({ quote, onClose }: { readonly quote: Quote; readonly onClose: () => void }) {
  const { t } = useApplication()
  const { data, error, isPending } = useQuery(quotes.getReRating, quote.id)
  return (
    <Dialog size="lg" title={t('Pricing:ReRate')} onClose={onClose}>
      {error && <ErrorAlert error={error} />}
      {isPending && <Skeleton height={160} />}
      {data?.hasChanges === false && <EmptyState icon="check" title={t('Pricing:ReRateSame')} />}
      {data?.hasChanges && <ReRateForm quote={quote} reRating={data} onClose={onClose} />}
    </Dialog>
  )
}

function ReRateForm({
  quote,
  reRating,
  onClose,
}: {
  readonly quote: Quote
  readonly reRating: InstanceType<typeof ReRatingDto>
  readonly onClose: () => void
}) {
  const { t } = useApplication()
  const formats = useFormats()
  const tell = useTell()
  const { run } = useMutation()
  const comparing = useComparing()
  const { id, currencyCode } = quote
  const { concurrencyStamp, pricingDateBefore, pricingDateAfter, options } = reRating
  const money = (amount: string | null | undefined) => formats.money(amount, currencyCode) || '–'
  const form = useForm<Record<string, string>>({
    draft: `re-rate:${id}`,
    initial: { ...seenState(quote, comparing.seenOf), concurrencyStamp },
    async save(seen) {
      await run(quotes.reRate, id, { concurrencyStamp: seen['concurrencyStamp'] })
      tell(t('Pricing:ReRated'))
      onClose()
    },
  })
  return (
    <>
      <FormBody form={form} onCancel={onClose} submitText={t('Pricing:ReRate')}>
        <Text size="sm">{t('Pricing:ReRateHint')}</Text>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('Pricing:Charge')}</Table.Th>
              <Table.Th ta="end">{formats.date(pricingDateBefore)}</Table.Th>
              <Table.Th ta="end">{formats.date(pricingDateAfter)}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {options.flatMap(({ carrierCode, viaUnLocode, sellBefore, sellAfter, charges }, option) => [
              <Table.Tr key={`${option}`}>
                <Table.Th>
                  {[carrierCode, viaUnLocode].filter(Boolean).join(' · ') || t('AbpUi::Total')}
                </Table.Th>
                <Table.Th ta="end">{money(sellBefore)}</Table.Th>
                <Table.Th ta="end">{money(sellAfter)}</Table.Th>
              </Table.Tr>,
              ...charges.map((charge) => (
                <Table.Tr key={`${option} ${charge.description}`}>
                  <Table.Td>{charge.description}</Table.Td>
                  <Table.Td ta="end">{money(charge.sellBefore)}</Table.Td>
                  <Table.Td ta="end">{money(charge.sellAfter)}</Table.Td>
                </Table.Tr>
              )),
            ])}
          </Table.Tbody>
        </Table>
      </FormBody>
      <ThingConflict form={form} thing={quote} comparing={comparing} />
    </>
  )
}
