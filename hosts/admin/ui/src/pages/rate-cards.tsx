import { type RateCardDto, RateCardPermissions, RateCardStatus, RateCardType } from '@keel/pricing-proxy'
import { Badge } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useApplication } from '../application.js'
import type { Column } from '../parts/data-list.js'
import type { Filter } from '../parts/filters.js'
import { useFormats } from '../parts/formats.js'
import { ListFiles } from '../parts/list-files.js'
import { ListPage } from '../parts/list-page.js'
import { OrganizationSelect } from '../parts/organizations.js'
import { CardBadge, ofCard, rateCards, usePricingEnum, useTransportModes } from '../parts/pricing.js'
import { RateCardDialog } from '../parts/rate-card-dialog.js'

type Card = InstanceType<typeof RateCardDto>

/** Rate cards: contracts with suppliers, and tariffs for customers. A card has a page of its own. */
export function Page() {
  const { t, may } = useApplication()
  const formats = useFormats()
  const navigate = useNavigate()
  const filters: readonly Filter[] = [
    {
      name: 'status',
      title: ofCard('Status'),
      kind: 'enum',
      options: usePricingEnum('RateCardStatus', RateCardStatus),
    },
    {
      name: 'cardType',
      title: ofCard('CardType'),
      kind: 'enum',
      options: usePricingEnum('RateCardType', RateCardType),
    },
    {
      name: 'transportModeCode',
      title: ofCard('TransportModeCode'),
      kind: 'choice',
      options: useTransportModes(),
    },
    {
      name: 'organizationId',
      title: 'Hub::Entity:Organization',
      kind: 'pick',
      pick: OrganizationSelect,
      isExtra: true,
    },
    { name: 'validOn', title: 'Pricing:ValidOn', kind: 'date', isExtra: true },
  ]
  const columns: Column<Card>[] = [
    {
      id: 'reference',
      title: ofCard('Reference'),
      sort: 'reference',
      isEssential: true,
      cell: ({ reference, version }) => `${reference} · ${version}`,
    },
    {
      id: 'name',
      title: 'AbpUi::DisplayName:Name',
      sort: 'name',
      cell: ({ name }) => name,
    },
    {
      id: 'kind',
      title: ofCard('CardType'),
      sort: 'cardType',
      cell: ({ cardType }) => (
        <Badge variant="light" color={cardType === RateCardType.Buy ? 'grape' : 'blue'}>
          {t(`Pricing::Enum:RateCardType.${cardType}`)}
        </Badge>
      ),
    },
    {
      id: 'mode',
      title: ofCard('TransportModeCode'),
      sort: 'transportModeCode',
      cell: ({ transportModeCode, containerModeCode }) =>
        [transportModeCode, containerModeCode].filter(Boolean).join(' · '),
    },
    {
      id: 'carrier',
      title: ofCard('CarrierCode'),
      sort: 'carrierCode',
      cell: ({ carrierCode }) => carrierCode,
    },
    {
      id: 'status',
      title: ofCard('Status'),
      sort: 'status',
      isEssential: true,
      cell: ({ status }) => <CardBadge status={status} />,
    },
    {
      id: 'validTo',
      title: 'Pricing:Validity',
      sort: 'validTo',
      isEssential: true,
      cell: ({ validFrom, validTo }) => `${formats.date(validFrom)} – ${formats.date(validTo)}`,
    },
    {
      id: 'organization',
      title: ofCard('OrganizationCode'),
      sort: 'organizationCode',
      isExtra: true,
      cell: ({ organizationCode }) => organizationCode,
    },
    {
      id: 'contract',
      title: ofCard('ContractNumber'),
      sort: 'contractNumber',
      isExtra: true,
      cell: ({ contractNumber }) => contractNumber,
    },
  ]
  const open = (id: string) => void navigate({ to: `/rate-cards/${id}` } as never)
  return (
    <ListPage
      title="Pricing:RateCards"
      hint="Pricing:RateCardsHint"
      icon="grid"
      emptyHint="Pricing:NoRateCardsHint"
      views="RateCards"
      list={rateCards.getList}
      columns={columns}
      filters={filters}
      commands={
        <ListFiles excel={rateCards.getListAsExcelFile} csv={rateCards.getListAsCsvFile} filters={filters} />
      }
      hrefOf={({ id }) => `/rate-cards/${id}`}
      work={{
        newTitle: may(RateCardPermissions.Create) && 'Pricing:NewRateCard',
        dialog: (_id, onClose) => (
          <RateCardDialog id={undefined} onClose={onClose} onSaved={(answer) => open((answer as Card).id)} />
        ),
      }}
      removal={
        may(RateCardPermissions.Delete) && {
          call: rateCards.delete,
          warn: ({ reference, version }) =>
            t('Pricing:DeleteRateCardHint', { reference: `${reference} · ${version}` }),
          isAllowed: ({ status }) => status === RateCardStatus.Draft,
        }
      }
    />
  )
}
