import {
  type ConversionDto,
  type ExchangeRateDto,
  ExchangeRatePermissions,
  ExchangeRateType,
} from '@keel/pricing-proxy'
import { Button, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useApplication } from '../application.js'
import type { Column } from '../parts/data-list.js'
import { Dialog } from '../parts/dialog.js'
import { EditDialog, type Editing } from '../parts/edit-dialog.js'
import { type Field, Fields, inputOf } from '../parts/fields.js'
import { FormBody, useForm } from '../parts/form.js'
import { useFormats } from '../parts/formats.js'
import { Icon } from '../parts/icons.js'
import { ImportFiles } from '../parts/import-files.js'
import { ListFiles } from '../parts/list-files.js'
import { ListPage } from '../parts/list-page.js'
import { exchangeRates, useCurrencies, usePricingEnum } from '../parts/pricing.js'
import { useUrlState } from '../parts/url-state.js'

type Rate = InstanceType<typeof ExchangeRateDto>
const own = (name: string) => `Pricing::DisplayName:ExchangeRate:${name}`

const valuesOf = (rate?: Rate) => ({
  fromCurrencyCode: rate?.fromCurrencyCode ?? 'EUR',
  toCurrencyCode: rate?.toCurrencyCode ?? null,
  rate: rate?.rate ?? '',
  rateDate: rate?.rateDate ?? '',
  rateType: rate?.rateType ?? ExchangeRateType.Mid,
  source: rate?.source ?? '',
  concurrencyStamp: rate?.concurrencyStamp ?? '',
})
type Values = ReturnType<typeof valuesOf>

/** Dated rates between currencies, and a conversion by them. */
export function Page() {
  const { t, may } = useApplication()
  const formats = useFormats()
  const [url, setUrl] = useUrlState()
  const codes = useCurrencies()
  const types = usePricingEnum('ExchangeRateType', ExchangeRateType)
  const fields: readonly Field<Values>[] = [
    {
      name: 'fromCurrencyCode',
      title: own('FromCurrencyCode'),
      kind: 'choice',
      options: codes,
      isRequired: true,
    },
    {
      name: 'toCurrencyCode',
      title: own('ToCurrencyCode'),
      kind: 'choice',
      options: codes,
      isRequired: true,
    },
    { name: 'rate', title: own('Rate'), kind: 'decimal', hint: 'Pricing:RateHint', isRequired: true },
    { name: 'rateDate', title: own('RateDate'), kind: 'date', isRequired: true },
    { name: 'rateType', title: own('RateType'), kind: 'enum', options: types, isRequired: true },
    { name: 'source', title: own('Source'), hint: 'Pricing:SourceHint', isRequired: true },
  ]
  const editing: Editing<Rate, Values> = {
    draft: 'exchange-rate',
    ownFields: 'Pricing.ExchangeRate',
    get: exchangeRates.get,
    create: exchangeRates.create as never,
    update: exchangeRates.update as never,
    valuesOf,
    fields,
    fieldOfCode: { Duplicate: 'rateDate' },
  }
  const columns: Column<Rate>[] = [
    {
      id: 'pair',
      title: 'Pricing:CurrencyPair',
      sort: 'fromCurrencyCode',
      isEssential: true,
      cell: ({ fromCurrencyCode, toCurrencyCode }) => `${fromCurrencyCode} → ${toCurrencyCode}`,
    },
    {
      id: 'rate',
      title: own('Rate'),
      sort: 'rate',
      isEssential: true,
      isFigure: true,
      cell: ({ rate }) => formats.decimal(rate),
    },
    {
      id: 'date',
      title: own('RateDate'),
      sort: 'rateDate',
      isEssential: true,
      cell: ({ rateDate }) => formats.date(rateDate),
    },
    {
      id: 'type',
      title: own('RateType'),
      sort: 'rateType',
      cell: ({ rateType }) => t(`Pricing::Enum:ExchangeRateType.${rateType}`),
    },
    { id: 'source', title: own('Source'), sort: 'source', cell: ({ source }) => source },
  ]
  const { Create, Edit, Import } = ExchangeRatePermissions
  const mayImport = [Create, Edit, Import].every((permission) => may(permission))
  return (
    <ListPage
      title="Pricing:ExchangeRates"
      hint="Pricing:ExchangeRatesHint"
      icon="refresh"
      emptyHint="Pricing:NoExchangeRatesHint"
      views="ExchangeRates"
      list={exchangeRates.getList}
      columns={columns}
      commands={
        <>
          <ListFiles excel={exchangeRates.getListAsExcelFile} csv={exchangeRates.getListAsCsvFile} />
          {mayImport && <ImportFiles service={exchangeRates} accept=".csv,.xlsx,.xml" />}
          <Button
            variant="default"
            leftSection={<Icon name="refresh" />}
            onClick={() => setUrl({ convert: 'open' }, true)}
          >
            {t('Pricing:ConvertAmount')}
          </Button>
        </>
      }
      work={{
        newTitle: may(ExchangeRatePermissions.Create) && 'Pricing:NewExchangeRate',
        mayEdit: may(ExchangeRatePermissions.Edit),
        dialog: (id, onClose) => (
          <EditDialog
            id={id}
            title={t(id ? 'Pricing::Entity:ExchangeRate' : 'Pricing:NewExchangeRate')}
            editing={editing}
            mayChange={may(id ? ExchangeRatePermissions.Edit : ExchangeRatePermissions.Create)}
            onClose={onClose}
          />
        ),
      }}
      removal={
        may(ExchangeRatePermissions.Delete) && {
          call: exchangeRates.delete,
          warn: ({ fromCurrencyCode, toCurrencyCode, rateDate }) =>
            t('Pricing:DeleteExchangeRateHint', {
              pair: `${fromCurrencyCode} → ${toCurrencyCode}`,
              date: formats.date(rateDate),
            }),
        }
      }
    >
      {url['convert'] && <ConvertDialog onClose={() => setUrl({ convert: undefined })} />}
    </ListPage>
  )
}

const asked = {
  amount: '',
  fromCurrencyCode: 'EUR',
  toCurrencyCode: 'USD',
  date: '',
  rateType: ExchangeRateType.Mid,
}

function ConvertDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useApplication()
  const formats = useFormats()
  const codes = useCurrencies()
  const [answer, setAnswer] = useState<InstanceType<typeof ConversionDto>>()
  const fields: readonly Field<typeof asked>[] = [
    { name: 'amount', title: 'Pricing:Amount', kind: 'decimal', isRequired: true },
    { name: 'date', title: own('RateDate'), kind: 'date', hint: 'Pricing:TodayHint' },
    {
      name: 'fromCurrencyCode',
      title: own('FromCurrencyCode'),
      kind: 'choice',
      options: codes,
      isRequired: true,
    },
    {
      name: 'toCurrencyCode',
      title: own('ToCurrencyCode'),
      kind: 'choice',
      options: codes,
      isRequired: true,
    },
    {
      name: 'rateType',
      title: own('RateType'),
      kind: 'enum',
      options: usePricingEnum('ExchangeRateType', ExchangeRateType),
      isRequired: true,
    },
  ]
  const form = useForm({
    draft: 'convert',
    initial: asked,
    async save(values) {
      setAnswer(undefined)
      setAnswer(await exchangeRates.convert(inputOf(values, fields)))
    },
  })
  return (
    <Dialog title={t('Pricing:ConvertAmount')} onClose={onClose}>
      <FormBody form={form} onCancel={onClose} submitText={t('Pricing:ConvertNow')}>
        <Fields form={form} fields={fields} />
        <Stack gap={2} role="status">
          {answer && (
            <>
              <Text fz={22} fw={650}>
                {formats.money(answer.convertedAmount, answer.toCurrencyCode)}
              </Text>
              <Text size="sm" c="dimmed">
                {[
                  `1 ${answer.fromCurrencyCode} = ${formats.decimal(answer.rate)} ${answer.toCurrencyCode}`,
                  formats.date(answer.rateDate),
                  answer.pivotCurrencyCode &&
                    t('Pricing:OverCurrency', { currency: answer.pivotCurrencyCode }),
                ]
                  .filter(Boolean)
                  .join(' · ')}
              </Text>
            </>
          )}
        </Stack>
      </FormBody>
    </Dialog>
  )
}
