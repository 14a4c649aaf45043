import { type QuoteDto, QuotePermissions, QuoteStatus } from '@keel/pricing-proxy'
import { useNavigate } from '@tanstack/react-router'
import { useApplication } from '../application.js'
import { CargoSheet, cargoInput, cargoRows } from '../parts/cargo-sheet.js'
import type { Column } from '../parts/data-list.js'
import { EditDialog, type Editing } from '../parts/edit-dialog.js'
import type { Field } from '../parts/fields.js'
import type { Filter } from '../parts/filters.js'
import { useFormats } from '../parts/formats.js'
import { ListFiles } from '../parts/list-files.js'
import { ListPage } from '../parts/list-page.js'
import { OrganizationSelect } from '../parts/organizations.js'
import { ofQuote, QuoteBadge, quotes, requestOf, usePricingEnum, useRequestFields } from '../parts/pricing.js'
import { RateCardSelect } from '../parts/rate-card-select.js'

type Quote = InstanceType<typeof QuoteDto>

const valuesOf = () => ({
  ...requestOf(),
  organizationId: null as string | null,
  notes: '',
  cargoLines: cargoRows(),
})
type Values = ReturnType<typeof valuesOf>

/** Quotes, and a new one with its cargo. A quote has a page of its own. */
export function Page() {
  const { t, may } = useApplication()
  const formats = useFormats()
  const navigate = useNavigate()
  const editing = useEditing()
  const filters: readonly Filter[] = [
    {
      name: 'status',
      title: ofQuote('Status'),
      kind: 'enum',
      options: usePricingEnum('QuoteStatus', QuoteStatus),
    },
    {
      name: 'organizationId',
      title: ofQuote('OrganizationName'),
      kind: 'pick',
      pick: OrganizationSelect,
    },
    ...(may(QuotePermissions.ViewCost)
      ? ([
          {
            name: 'rateCardId',
            title: 'Pricing::Entity:RateCard',
            kind: 'pick',
            pick: RateCardSelect,
            isExtra: true,
          },
          {
            name: 'isOutdated',
            title: 'Pricing:OutdatedRates',
            kind: 'flag',
            options: [{ value: 'true', label: t('AbpUi::Yes') }],
            isExtra: true,
          },
        ] as const)
      : []),
  ]
  const columns: Column<Quote>[] = [
    {
      id: 'reference',
      title: ofQuote('Reference'),
      sort: 'reference',
      isEssential: true,
      cell: ({ reference }) => reference,
    },
    {
      id: 'customer',
      title: ofQuote('OrganizationName'),
      sort: 'organizationName',
      cell: ({ organizationName }) => organizationName,
    },
    {
      id: 'relation',
      title: 'Pricing:Relation',
      isEssential: true,
      cell: ({ originUnLocode, destinationUnLocode }) => `${originUnLocode} → ${destinationUnLocode}`,
    },
    {
      id: 'mode',
      title: ofQuote('TransportModeCode'),
      sort: 'transportModeCode',
      cell: ({ transportModeCode, containerModeCode }) => `${transportModeCode} · ${containerModeCode}`,
    },
    {
      id: 'status',
      title: ofQuote('Status'),
      sort: 'status',
      isEssential: true,
      cell: ({ status }) => <QuoteBadge status={status} />,
    },
    {
      id: 'validUntil',
      title: ofQuote('ValidUntil'),
      sort: 'validUntil',
      cell: ({ validUntil }) => formats.date(validUntil),
    },
    {
      id: 'pricingDate',
      title: ofQuote('PricingDate'),
      sort: 'pricingDate',
      isExtra: true,
      cell: ({ pricingDate }) => formats.date(pricingDate),
    },
    {
      id: 'weight',
      title: ofQuote('GrossWeightKg'),
      sort: 'grossWeightKg',
      isExtra: true,
      isFigure: true,
      cell: ({ grossWeightKg }) => formats.decimal(grossWeightKg),
    },
  ]
  const open = (id: string) => void navigate({ to: `/quotes/${id}` } as never)
  return (
    <ListPage
      title="Pricing:Quotes"
      hint="Pricing:QuotesHint"
      icon="tag"
      emptyHint="Pricing:NoQuotesHint"
      views="Quotes"
      list={quotes.getList}
      columns={columns}
      filters={filters}
      commands={
        <ListFiles excel={quotes.getListAsExcelFile} csv={quotes.getListAsCsvFile} filters={filters} />
      }
      hrefOf={({ id }) => `/quotes/${id}`}
      work={{
        newTitle: may(QuotePermissions.Create) && 'Pricing:NewQuote',
        dialog: (_id, onClose) => (
          <EditDialog
            id={undefined}
            title={t('Pricing:NewQuote')}
            size="xl"
            editing={editing}
            onClose={onClose}
            onSaved={(answer) => open((answer as Quote).id)}
          >
            {(form) => <CargoSheet form={form} />}
          </EditDialog>
        ),
      }}
      removal={
        may(QuotePermissions.Delete) && {
          call: quotes.delete,
          warn: ({ reference }) => t('Pricing:DeleteQuoteHint', { reference }),
          isAllowed: ({ status }) => status !== QuoteStatus.Accepted && status !== QuoteStatus.Converted,
        }
      }
    />
  )
}

function useEditing(): Editing<Quote, Values> {
  const fields: readonly Field<Values>[] = [
    {
      name: 'organizationId',
      title: ofQuote('OrganizationName'),
      kind: 'pick',
      pick: OrganizationSelect,
      isRequired: true,
    },
    ...useRequestFields<Values>(),
    { name: 'notes', title: ofQuote('Notes'), kind: 'area' },
  ]
  return {
    draft: 'quote',
    ownFields: 'Pricing.Quote',
    get: quotes.get,
    create: quotes.create as never,
    update: quotes.update as never,
    valuesOf,
    fields,
    toInput: ({ pricingDate, cargoLines, ...values }) => ({
      ...values,
      ...(pricingDate && { pricingDate }),
      cargoLines: cargoInput(cargoLines),
    }),
  }
}
