import {
  MarginType,
  type QuoteChargeDto,
  type QuoteDto,
  type QuoteOptionDto,
  QuotePermissions,
} from '@keel/pricing-proxy'
import { Anchor, Badge, Button, Card, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useApplication } from '../application.js'
import { Drawer } from './drawer.js'
import { Facts } from './facts.js'
import { type Formats, useFormats } from './formats.js'

/** An option of a quote, or one that was found without a quote. */
export type Option = Pick<
  InstanceType<typeof QuoteOptionDto>,
  | 'optionNumber'
  | 'carrierCode'
  | 'viaUnLocode'
  | 'transitDays'
  | 'totalCost'
  | 'totalSell'
  | 'marginAmount'
  | 'marginPercent'
  | 'isRecommended'
>

/** A charge of an option. */
export type Charge = Pick<
  InstanceType<typeof QuoteChargeDto>,
  | 'description'
  | 'basis'
  | 'quantity'
  | 'rateAmount'
  | 'rateCurrencyCode'
  | 'costAmount'
  | 'costAmountQuote'
  | 'exchangeRate'
  | 'sellAmount'
  | 'isOptional'
  | 'explanation'
>

/** Options beside each other: what they cost, how long they take, and how they differ from the first. */
export function OptionCards({
  options,
  currency,
  chosen,
  onChoose,
  badgesOf,
  actionOf,
}: {
  readonly options: readonly Option[]
  readonly currency: string
  /** The number of the option whose charges are shown. */
  readonly chosen: number | undefined
  readonly onChoose: (optionNumber: number) => void
  readonly badgesOf?: (option: Option) => ReactNode
  readonly actionOf?: (option: Option) => ReactNode
}) {
  const { t, may } = useApplication()
  const formats = useFormats()
  const fastest = Math.min(...options.map(({ transitDays }) => transitDays ?? Number.POSITIVE_INFINITY))
  const [first] = options
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="md">
      {options.map((option) => {
        const { optionNumber, carrierCode, viaUnLocode, transitDays, totalSell, totalCost } = option
        const title = t('Pricing:Option', { number: optionNumber })
        const isChosen = optionNumber === chosen
        return (
          <Card
            key={optionNumber}
            component="section"
            aria-label={title}
            withBorder
            padding="md"
            {...(isChosen && { style: { borderColor: 'var(--mantine-primary-color-filled)' } })}
          >
            <Group justify="space-between" mb={4} gap="xs">
              <Title order={2} fz="md">
                {title}
              </Title>
              <Group gap={4}>
                {option.isRecommended && (
                  <Badge color="teal" variant="light">
                    {t('Pricing:Recommended')}
                  </Badge>
                )}
                {transitDays !== null && transitDays === fastest && options.length > 1 && (
                  <Badge color="blue" variant="light">
                    {t('Pricing:Fastest')}
                  </Badge>
                )}
                {badgesOf?.(option)}
              </Group>
            </Group>
            <Text fz={26} fw={650} lh={1.3}>
              {formats.money(totalSell, currency)}
            </Text>
            <Text size="sm" c="dimmed" mih="1.5em">
              {first && first !== option && differenceTo(first, option)}
            </Text>
            <Facts
              facts={[
                ['Pricing::DisplayName:RateCard:CarrierCode', carrierCode],
                ['Pricing:Via', viaUnLocode],
                ['Pricing:TransitTime', transitDays != null && t('Pricing:Days', { count: transitDays })],
                ...(may(QuotePermissions.ViewCost)
                  ? ([
                      ['Pricing:Cost', formats.money(totalCost, currency)],
                      ['Pricing:Margin', formats.margin(option.marginAmount, option.marginPercent, currency)],
                    ] as const)
                  : []),
              ]}
            />
            <Group mt="sm" gap="xs">
              <Button
                variant={isChosen ? 'light' : 'default'}
                size="xs"
                aria-pressed={isChosen}
                onClick={() => onChoose(optionNumber)}
              >
                {t('Pricing:ShowCharges')}
              </Button>
              {actionOf?.(option)}
            </Group>
          </Card>
        )
      })}
    </SimpleGrid>
  )

  function differenceTo(one: Option, other: Option): string {
    const signed = (value: number, text: string) => (value > 0 ? `+${text}` : text)
    const more = Number(other.totalSell) - Number(one.totalSell)
    const days = (other.transitDays ?? 0) - (one.transitDays ?? 0)
    const hasDays = days !== 0 && other.transitDays != null && one.transitDays != null
    return [
      more !== 0 && signed(more, formats.money(more, currency)),
      hasDays && signed(days, t('Pricing:Days', { count: days })),
    ]
      .filter(Boolean)
      .join(' · ')
  }
}

/** The charges of an option; each opens its explanation. */
export function ChargesTable<C extends Charge>({
  charges,
  currency,
  total,
  onExplain,
}: {
  readonly charges: readonly C[]
  readonly currency: string
  readonly total: string
  readonly onExplain: (charge: C) => void
}) {
  const { t, may } = useApplication()
  const formats = useFormats()
  const hasCosts = may(QuotePermissions.ViewCost)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by the keyboard
    <section className="keel-list" aria-label={t('Pricing:Charges')} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t('Pricing:Charge')}</th>
            <th scope="col">{t('Pricing::DisplayName:ChargeCode:DefaultBasis')}</th>
            <th scope="col" className="keel-numbers">
              {t('Pricing:Cargo:Quantity')}
            </th>
            {hasCosts && (
              <>
                <th scope="col" className="keel-numbers">
                  {t('Pricing::DisplayName:ExchangeRate:Rate')}
                </th>
                <th scope="col" className="keel-numbers">
                  {t('Pricing:Cost')}
                </th>
              </>
            )}
            <th scope="col" className="keel-numbers">
              {t('Pricing:Price')}
            </th>
          </tr>
        </thead>
        <tbody>
          {charges.map((charge, index) => (
            // Charges that were found without a quote have no id
            <tr key={index} data-row={index}>
              <td>
                <Anchor component="button" type="button" size="sm" fw={550} onClick={() => onExplain(charge)}>
                  {charge.description}
                </Anchor>
                {charge.isOptional && (
                  <Badge ms="xs" variant="light" color="gray">
                    {t('Pricing::Enum:ChargeCondition.3')}
                  </Badge>
                )}
              </td>
              <td>{t(`Pricing::Enum:RateBasis.${charge.basis}`)}</td>
              <td className="keel-numbers">{formats.decimal(charge.quantity)}</td>
              {hasCosts && (
                <>
                  <td className="keel-numbers">{rateOf(charge, formats)}</td>
                  <td className="keel-numbers">{formats.money(charge.costAmountQuote, currency)}</td>
                </>
              )}
              <td className="keel-numbers">{formats.money(charge.sellAmount, currency)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <td colSpan={hasCosts ? 5 : 3}>
              <b>{t('Pricing:Total')}</b>
            </td>
            <td className="keel-numbers">
              <b>{formats.money(total, currency)}</b>
            </td>
          </tr>
        </tfoot>
      </table>
    </section>
  )
}

function rateOf({ rateAmount, rateCurrencyCode }: Charge, formats: Formats): string {
  return [formats.decimal(rateAmount), rateCurrencyCode].filter(Boolean).join(' ')
}

/** How a charge was calculated: every step from the rate to the price. */
export function ExplanationDrawer({
  charge,
  currency,
  onClose,
}: {
  readonly charge: Charge
  readonly currency: InstanceType<typeof QuoteDto>['currencyCode']
  readonly onClose: () => void
}) {
  const { t } = useApplication()
  const formats = useFormats()
  const { explanation: how, rateCurrencyCode } = charge
  const rateCurrency = rateCurrencyCode ?? currency
  const price = formats.money(charge.sellAmount, currency)
  return (
    <Drawer onClose={onClose} size="lg" title={charge.description}>
      <Stack gap="lg">
        {how ? (
          <>
            <Part title={t('Pricing:Explain:Rate')}>
              <Facts
                facts={[
                  ['Pricing::Entity:RateCard', how.card ?? t('Pricing:Explain:AcrossCards')],
                  ['Pricing::Entity:RateLane', how.laneNumber],
                  ['Pricing::DisplayName:ChargeCode:DefaultBasis', t(`Pricing::Enum:RateBasis.${how.basis}`)],
                  [
                    'Pricing::Entity:RateBreak',
                    how.breakFrom !== null &&
                      t('Pricing:Explain:From', { quantity: formats.decimal(how.breakFrom) }),
                  ],
                  ['Pricing:Explain:UnitAmount', unitAmount()],
                  ['Pricing::Entity:FuelIndex', fuel()],
                ]}
              />
            </Part>
            <Part title={t('Pricing:Cost')}>
              <Facts
                facts={[
                  ['Pricing:Cargo:Quantity', formats.decimal(how.quantity)],
                  [
                    'Pricing:Explain:PaidQuantity',
                    how.paidQuantity !== how.quantity &&
                      t('Pricing:Explain:HigherBreak', { quantity: formats.decimal(how.paidQuantity) }),
                  ],
                  ['Pricing:Explain:PercentOf', how.percentOf && formats.money(how.percentOf, rateCurrency)],
                  ['Pricing:Explain:Bound', how.bound && t(`Pricing:Explain:${how.bound}`)],
                  ['Pricing:Explain:Unrounded', `${formats.decimal(how.unrounded)} ${rateCurrency}`],
                  ['Pricing:Explain:Rounded', formats.money(charge.costAmount, rateCurrency)],
                  ['Pricing::Entity:ExchangeRate', exchange()],
                  [
                    'Pricing:Explain:CostInQuote',
                    how.exchangeWay !== 'Same' && formats.money(charge.costAmountQuote, currency),
                  ],
                ]}
              />
            </Part>
            <Part title={t('Pricing:Price')}>
              <Facts
                facts={[
                  ['Pricing:Explain:SellCard', how.sellCard],
                  ['Pricing::Entity:MarginRule', how.marginRule],
                  ['Pricing:Margin', margin()],
                  ['Pricing:Explain:MarginBound', how.marginBound && t(`Pricing:Explain:${how.marginBound}`)],
                  ['Pricing:Price', price],
                ]}
              />
            </Part>
          </>
        ) : (
          <>
            <Facts
              facts={[
                [
                  'Pricing::DisplayName:ChargeCode:DefaultBasis',
                  t(`Pricing::Enum:RateBasis.${charge.basis}`),
                ],
                ['Pricing:Cargo:Quantity', formats.decimal(charge.quantity)],
                ['Pricing:Price', price],
              ]}
            />
            <Text size="sm" c="dimmed">
              {t('Pricing:Explain:Hidden')}
            </Text>
          </>
        )}
      </Stack>
    </Drawer>
  )

  function unitAmount(): string | undefined {
    if (!how) return undefined
    const isPercent = how.percentOf !== null
    const amount = `${formats.decimal(how.unitAmount)} ${isPercent ? '%' : rateCurrency}`
    return how.isFlat ? `${amount} (${t('Pricing:Flat')})` : amount
  }

  function fuel(): string | undefined {
    if (!how?.fuelIndex) return undefined
    return t('Pricing:Explain:Fuel', {
      index: how.fuelIndex,
      value: formats.decimal(how.fuelValue),
      steps: formats.decimal(how.fuelSteps),
    })
  }

  function exchange(): string | undefined {
    if (!how || how.exchangeWay === 'Same') return undefined
    const rate = `1 ${rateCurrency} = ${formats.decimal(how.exchangeRate)} ${currency}`
    return [rate, t(`Pricing:Explain:Way:${how.exchangeWay}`), formats.date(how.exchangeDate)]
      .filter(Boolean)
      .join(', ')
  }

  function margin(): string | undefined {
    if (!how || how.marginType === null) return undefined
    const isPercent =
      how.marginType === MarginType.MarkupPercent || how.marginType === MarginType.MarginPercent
    const value = `${formats.decimal(how.marginValue)}${isPercent ? ' %' : ''}`
    return `${t(`Pricing::Enum:MarginType.${how.marginType}`)}: ${value}`
  }
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section>
      <Title order={3} fz="md" mb={4}>
        {title}
      </Title>
      {children}
    </section>
  )
}
