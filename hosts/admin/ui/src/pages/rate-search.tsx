import type { RateOptionDto, RateSearchInput } from '@keel/pricing-proxy'
import { Card, Stack, Title } from '@mantine/core'
import { useState } from 'react'
import { useApplication } from '../application.js'
import { CargoSheet, cargoInput, cargoRows } from '../parts/cargo-sheet.js'
import { Fields, inputOf } from '../parts/fields.js'
import { FormBody, useForm } from '../parts/form.js'
import { OrganizationSelect } from '../parts/organizations.js'
import { PageHead } from '../parts/page-head.js'
import { rateSearch, requestOf, useRequestFields } from '../parts/pricing.js'
import { type Charge, ChargesTable, ExplanationDrawer, OptionCards } from '../parts/quote-options.js'
import { EmptyState } from '../parts/states.js'

type Option = InstanceType<typeof RateOptionDto>

const initial = { ...requestOf(), organizationId: null as string | null, cargoLines: cargoRows() }

/** The best rates for a lane, a day and a cargo, without a quote. */
export function Page() {
  const { t } = useApplication()
  const fields = useRequestFields<typeof initial>()
  const [found, setFound] = useState<{ options: readonly Option[]; currency: string }>()
  const form = useForm({
    draft: 'rate-search',
    initial,
    async save(values) {
      setFound(undefined)
      const { pricingDate, cargoLines, ...input } = inputOf(values, fields)
      const options = await rateSearch.search({
        ...input,
        ...(pricingDate && { pricingDate }),
        cargoLines: cargoInput(cargoLines),
      } as InstanceType<typeof RateSearchInput>)
      setFound({ options, currency: values.currencyCode })
    },
  })
  return (
    <>
      <PageHead title={t('Pricing:RateSearch')} hint={t('Pricing:RateSearchHint')} />
      <Stack gap="lg">
        <Card withBorder padding="md" maw={1000}>
          <FormBody form={form} submitText={t('Pricing:Search')}>
            <Fields form={form} fields={fields} />
            <OrganizationSelect
              label={t('Pricing::DisplayName:Quote:OrganizationName')}
              description={t('Pricing:SearchCustomerHint')}
              value={form.values.organizationId}
              error={form.errorOf('organizationId')}
              onChange={(id) => form.set('organizationId', id)}
            />
            <CargoSheet form={form} />
          </FormBody>
        </Card>
        <div role="status">
          {found?.options.length === 0 && (
            <EmptyState icon="search" title={t('NothingFound')}>
              {t('Pricing:NoRatesHint')}
            </EmptyState>
          )}
        </div>
        {found && found.options.length > 0 && <Found {...found} />}
      </Stack>
    </>
  )
}

function Found({ options, currency }: { readonly options: readonly Option[]; readonly currency: string }) {
  const { t } = useApplication()
  const [number, choose] = useState(options[0]?.optionNumber)
  const [explained, explain] = useState<Charge>()
  const chosen = options.find(({ optionNumber }) => optionNumber === number)
  return (
    <>
      <OptionCards options={options} currency={currency} chosen={number} onChoose={choose} />
      {chosen && (
        <Stack gap="xs">
          <Title order={2}>{t('Pricing:ChargesOf', { number: chosen.optionNumber })}</Title>
          <ChargesTable
            charges={chosen.charges}
            currency={currency}
            total={chosen.totalSell}
            onExplain={explain}
          />
        </Stack>
      )}
      {explained && (
        <ExplanationDrawer charge={explained} currency={currency} onClose={() => explain(undefined)} />
      )}
    </>
  )
}
