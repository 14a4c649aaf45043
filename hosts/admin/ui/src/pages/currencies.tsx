import { type CurrencyDto, ExchangeRatePermissions } from '@keel/pricing-proxy'
import { useApplication } from '../application.js'
import type { Column } from '../parts/data-list.js'
import { EditDialog, type Editing } from '../parts/edit-dialog.js'
import { ImportFiles } from '../parts/import-files.js'
import { codeAndName, ListPage } from '../parts/list-page.js'
import { currencies } from '../parts/pricing.js'

type Currency = InstanceType<typeof CurrencyDto>
const own = (name: string) => `Pricing::DisplayName:Currency:${name}`

const valuesOf = (currency?: Currency) => ({
  code: currency?.code ?? '',
  name: currency?.name ?? '',
  numericCode: currency?.numericCode ?? '',
  minorUnits: currency?.minorUnits ?? 2,
  symbol: currency?.symbol ?? '',
})

const editing: Editing<Currency, ReturnType<typeof valuesOf>> = {
  draft: 'currency',
  ownFields: 'Pricing.Currency',
  get: currencies.get,
  create: currencies.create as never,
  update: currencies.update as never,
  valuesOf,
  fields: [
    { name: 'code', title: own('Code'), hint: 'Pricing:CurrencyCodeHint', isRequired: true },
    { name: 'name', title: 'AbpUi::DisplayName:Name', isRequired: true },
    { name: 'numericCode', title: own('NumericCode'), isRequired: true },
    { name: 'minorUnits', title: own('MinorUnits'), kind: 'number', isRequired: true },
    { name: 'symbol', title: own('Symbol') },
  ],
  fieldOfCode: { AlreadyExists: 'code', InUse: 'code' },
}

/** The currencies of ISO 4217 that rates and quotes may use. */
export function Page() {
  const { t, may } = useApplication()
  const columns: Column<Currency>[] = [
    ...codeAndName<Currency>({ code: own('Code') }),
    { id: 'symbol', title: own('Symbol'), cell: ({ symbol }) => symbol },
    {
      id: 'numericCode',
      title: own('NumericCode'),
      sort: 'numericCode',
      cell: ({ numericCode }) => numericCode,
    },
    { id: 'minorUnits', title: own('MinorUnits'), sort: 'minorUnits', cell: ({ minorUnits }) => minorUnits },
  ]
  const { Create, Edit, Import } = ExchangeRatePermissions
  const mayImport = [Create, Edit, Import].every((permission) => may(permission))
  return (
    <ListPage
      title="Pricing:Currencies"
      hint="Pricing:CurrenciesHint"
      icon="coins"
      emptyHint="Pricing:NoCurrenciesHint"
      views="Currencies"
      list={currencies.getList}
      columns={columns}
      commands={mayImport && <ImportFiles service={currencies} accept=".csv,.xlsx,.xml" />}
      work={{
        newTitle: may(ExchangeRatePermissions.Create) && 'Pricing:NewCurrency',
        mayEdit: may(ExchangeRatePermissions.Edit),
        dialog: (id, onClose) => (
          <EditDialog
            id={id}
            title={t(id ? 'Pricing::Entity:Currency' : 'Pricing:NewCurrency')}
            editing={editing}
            mayChange={may(id ? ExchangeRatePermissions.Edit : ExchangeRatePermissions.Create)}
            onClose={onClose}
          />
        ),
      }}
      revival={currencies}
      removal={
        may(ExchangeRatePermissions.Delete) && {
          call: currencies.delete,
          warn: ({ code, name }) => t('Pricing:DeactivateHint', { name: `${code} · ${name}` }),
        }
      }
    />
  )
}
