import '@mantine/core/styles/Table.css'
import { type ComparedRateDto, type RateCardDto, RateDifferenceKind } from '@keel/pricing-proxy'
import { useQuery, useQueryWhen } from '@keel/react'
import { Badge, Select, Skeleton, Stack, Table } from '@mantine/core'
import { useApplication } from '../application.js'
import { Drawer } from './drawer.js'
import { useFormats } from './formats.js'
import { rateCards } from './pricing.js'
import { EmptyState, ErrorAlert } from './states.js'

type RateCard = InstanceType<typeof RateCardDto>
type Rate = InstanceType<typeof ComparedRateDto>

const colors: Readonly<Record<RateDifferenceKind, string>> = {
  [RateDifferenceKind.Added]: 'teal',
  [RateDifferenceKind.Removed]: 'red',
  [RateDifferenceKind.Changed]: 'blue',
}

/** The rates in which a card differs from another one, of the same reference or of any other. */
export function RateCardComparison({
  card,
  otherId,
  onChoose,
  onClose,
}: {
  readonly card: RateCard
  /** Any other text shows the choice alone. */
  readonly otherId: string
  readonly onChoose: (id: string) => void
  readonly onClose: () => void
}) {
  const { t } = useApplication()
  const isChosen = /^[0-9a-f-]{36}$/i.test(otherId)
  const others = useQuery(rateCards.getList, {
    transportModeCode: card.transportModeCode,
    cardType: card.cardType,
    maxResultCount: 1000,
    sorting: 'reference, version DESC',
  })
  const other = others.data?.items.find(({ id }) => id === otherId)
  const differences = useQueryWhen(isChosen, rateCards.getDifferences, card.id, { otherId })
  return (
    <Drawer
      onClose={onClose}
      size="xl"
      title={`${t('Pricing:Compare')}: ${card.reference} · ${card.version}`}
    >
      <Stack>
        <Select
          label={t('Pricing:ComparedWith')}
          searchable
          allowDeselect={false}
          data={(others.data?.items ?? [])
            .filter(({ id }) => id !== card.id)
            .sort((one, other) => Number(isSame(other)) - Number(isSame(one)))
            .map(({ id, reference, version, name }) => ({
              value: id,
              label: `${reference} · ${version} · ${name}`,
            }))}
          value={isChosen ? otherId : null}
          onChange={(id) => id && onChoose(id)}
        />
        {differences.error && (
          <ErrorAlert error={differences.error} retry={() => void differences.refetch()} />
        )}
        {isChosen && differences.isPending && <Skeleton height={240} />}
        {differences.data?.length === 0 && <EmptyState icon="check" title={t('Pricing:NoDifferences')} />}
        {differences.data && differences.data.length > 0 && (
          <Table.ScrollContainer minWidth={620}>
            <Table verticalSpacing={6}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{t('Kind')}</Table.Th>
                  <Table.Th>{t('Pricing::Entity:RateLane')}</Table.Th>
                  <Table.Th>{t('Pricing:Charge')}</Table.Th>
                  <Table.Th>{other ? `${other.reference} · ${other.version}` : ''}</Table.Th>
                  <Table.Th>{`${card.reference} · ${card.version}`}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {differences.data.map(
                  ({ kind, lane, chargeCode, containerTypeCode, before, after }, index) => (
                    // Differences have no id, and their order stays
                    <Table.Tr key={index}>
                      <Table.Td>
                        <Badge variant="light" color={colors[kind]}>
                          {t(`Pricing::Enum:RateDifferenceKind.${kind}`)}
                        </Badge>
                      </Table.Td>
                      <Table.Td>{lane}</Table.Td>
                      <Table.Td>{[chargeCode, containerTypeCode].filter(Boolean).join(' · ')}</Table.Td>
                      <Table.Td className="keel-break">
                        {before && <RateCell rate={before} other={after} as="del" />}
                      </Table.Td>
                      <Table.Td className="keel-break">
                        {after && <RateCell rate={after} other={before} as="ins" />}
                      </Table.Td>
                    </Table.Tr>
                  ),
                )}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        )}
      </Stack>
    </Drawer>
  )

  function isSame({ reference }: RateCard): boolean {
    return reference === card.reference
  }
}

/** A rate, its breaks below it; what the other card does not have is marked. */
function RateCell({
  rate,
  other,
  as: Tag,
}: {
  readonly rate: Rate
  readonly other: Rate | null
  readonly as: 'del' | 'ins'
}) {
  const { t } = useApplication()
  const formats = useFormats()
  const others = new Set(other ? linesOf(other) : [])
  return linesOf(rate).map((line) => <div key={line}>{others.has(line) ? line : <Tag>{line}</Tag>}</div>)

  function linesOf({ amount, currencyCode, basis, minAmount, maxAmount, breaks }: Rate): string[] {
    const isBounded = minAmount !== null || maxAmount !== null
    return [
      amount !== null ? `${formats.decimal(amount)} ${currencyCode}` : '',
      t(`Pricing::Enum:RateBasis.${basis}`),
      isBounded
        ? `${formats.decimal(minAmount) || '0'} – ${formats.decimal(maxAmount) || '∞'} ${currencyCode}`
        : '',
      ...breaks,
    ].filter(Boolean)
  }
}
