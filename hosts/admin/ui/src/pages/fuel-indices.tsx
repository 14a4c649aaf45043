import '@mantine/core/styles/Table.css'
import { type FuelIndexDto, FuelIndexPermissions, type FuelIndexValueDto } from '@keel/pricing-proxy'
import { useMutation, useQuery } from '@keel/react'
import { Skeleton, Stack, Table } from '@mantine/core'
import { useApplication } from '../application.js'
import { useQuestion } from '../parts/confirm.js'
import type { Column, RowAction } from '../parts/data-list.js'
import { Drawer } from '../parts/drawer.js'
import { EditDialog, type Editing } from '../parts/edit-dialog.js'
import { type Field, Fields, inputOf } from '../parts/fields.js'
import { FormBody, useForm } from '../parts/form.js'
import { useFormats } from '../parts/formats.js'
import { codeAndName, ListPage } from '../parts/list-page.js'
import { fuelIndexValues, fuelIndices, useTransportModes } from '../parts/pricing.js'
import { RemoveButton } from '../parts/remove-button.js'
import { EmptyState, ErrorAlert } from '../parts/states.js'
import { useUrlState } from '../parts/url-state.js'

type Index = InstanceType<typeof FuelIndexDto>

const valuesOf = (index?: Index) => ({
  code: index?.code ?? '',
  name: index?.name ?? '',
  unit: index?.unit ?? '',
  transportModeCode: index?.transportModeCode ?? 'Sea',
  source: index?.source ?? '',
  concurrencyStamp: index?.concurrencyStamp ?? '',
})
type Values = ReturnType<typeof valuesOf>

/** Published series of fuel prices, which surcharges follow. */
export function Page() {
  const { t, may } = useApplication()
  const [url, setUrl] = useUrlState()
  const fields: readonly Field<Values>[] = [
    { name: 'code', title: 'AbpUi::DisplayName:Code', hint: 'Pricing:ZoneCodeHint', isRequired: true },
    { name: 'name', title: 'AbpUi::DisplayName:Name', isRequired: true },
    { name: 'unit', title: 'Pricing:Unit', hint: 'Pricing:UnitHint', isRequired: true },
    {
      name: 'transportModeCode',
      title: 'Pricing::DisplayName:RateCard:TransportModeCode',
      kind: 'choice',
      options: useTransportModes(),
      isRequired: true,
    },
    { name: 'source', title: 'Pricing::DisplayName:ExchangeRate:Source' },
  ]
  const editing: Editing<Index, Values> = {
    draft: 'fuel-index',
    ownFields: 'Pricing.FuelIndex',
    get: fuelIndices.get,
    create: fuelIndices.create as never,
    update: fuelIndices.update as never,
    valuesOf,
    fields,
    fieldOfCode: { AlreadyExists: 'code' },
  }
  const columns: Column<Index>[] = [
    ...codeAndName<Index>(),
    { id: 'unit', title: 'Pricing:Unit', cell: ({ unit }) => unit },
    {
      id: 'mode',
      title: 'Pricing::DisplayName:RateCard:TransportModeCode',
      sort: 'transportModeCode',
      cell: ({ transportModeCode }) => transportModeCode,
    },
    { id: 'source', title: 'Pricing::DisplayName:ExchangeRate:Source', cell: ({ source }) => source },
  ]
  const actions: RowAction<Index>[] = [
    { title: 'Pricing:IndexValues', icon: 'history', run: ({ id }) => setUrl({ values: id }, true) },
  ]
  return (
    <ListPage
      title="Pricing:FuelIndices"
      hint="Pricing:FuelIndicesHint"
      icon="history"
      emptyHint="Pricing:NoFuelIndicesHint"
      views="FuelIndices"
      list={fuelIndices.getList}
      columns={columns}
      actions={actions}
      onOpen={({ id }) => setUrl({ values: id }, true)}
      work={{
        newTitle: may(FuelIndexPermissions.Create) && 'Pricing:NewFuelIndex',
        mayEdit: may(FuelIndexPermissions.Edit),
        dialog: (id, onClose) => (
          <EditDialog
            id={id}
            title={t(id ? 'Pricing::Entity:FuelIndex' : 'Pricing:NewFuelIndex')}
            editing={editing}
            mayChange={may(id ? FuelIndexPermissions.Edit : FuelIndexPermissions.Create)}
            onClose={onClose}
          />
        ),
      }}
      removal={
        may(FuelIndexPermissions.Delete) && {
          call: fuelIndices.delete,
          warn: ({ code, name }) => t('Pricing:DeleteFuelIndexHint', { name: `${code} · ${name}` }),
        }
      }
    >
      {url['values'] && <Values indexId={url['values']} onClose={() => setUrl({ values: undefined })} />}
    </ListPage>
  )
}

/** The values of an index, the latest first, with a form for the next one. */
function Values({ indexId, onClose }: { readonly indexId: string; readonly onClose: () => void }) {
  const { t, may } = useApplication()
  const formats = useFormats()
  const { ask, question } = useQuestion()
  const { run } = useMutation()
  const index = useQuery(fuelIndices.get, indexId)
  const values = useQuery(fuelIndexValues.getList, {
    fuelIndexId: indexId,
    maxResultCount: 200,
    sorting: 'valueDate DESC',
  })
  const rows: readonly InstanceType<typeof FuelIndexValueDto>[] = values.data?.items ?? []
  return (
    <Drawer onClose={onClose} size="md" title={index.data ? `${index.data.code} · ${index.data.name}` : ''}>
      <Stack>
        {may(FuelIndexPermissions.Create) && <NewValue fuelIndexId={indexId} />}
        {values.error && <ErrorAlert error={values.error} retry={() => void values.refetch()} />}
        {values.isPending && <Skeleton height={160} />}
        {values.data?.items.length === 0 && (
          <EmptyState icon="history" title={t('NothingYet')}>
            {t('Pricing:NoIndexValuesHint')}
          </EmptyState>
        )}
        {rows.length > 0 && (
          <Table verticalSpacing={4}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('Pricing::DisplayName:FuelIndexValue:ValueDate')}</Table.Th>
                <Table.Th ta="end">{t('Pricing::DisplayName:FuelIndexValue:Value')}</Table.Th>
                <Table.Th>
                  <span className="visually-hidden">{t('AbpUi::Actions')}</span>
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map(({ id, valueDate, value }) => (
                <Table.Tr key={id}>
                  <Table.Td>{formats.date(valueDate)}</Table.Td>
                  <Table.Td ta="end">
                    {formats.decimal(value)} {index.data?.unit}
                  </Table.Td>
                  <Table.Td ta="end">
                    {may(FuelIndexPermissions.Delete) && (
                      <RemoveButton
                        label={`${t('Remove')}: ${formats.date(valueDate)}`}
                        onClick={() =>
                          ask({
                            action: t('Remove'),
                            words: t('Pricing:DeleteIndexValueHint', { date: formats.date(valueDate) }),
                            run: () => run(fuelIndexValues.delete, id),
                            done: t('AbpUi::DeletedSuccessfully'),
                          })
                        }
                      />
                    )}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
      </Stack>
      {question}
    </Drawer>
  )
}

const nothing = { valueDate: '', value: '' }

function NewValue({ fuelIndexId }: { readonly fuelIndexId: string }) {
  const { t } = useApplication()
  const { run } = useMutation()
  const fields: readonly Field<typeof nothing>[] = [
    {
      name: 'valueDate',
      title: 'Pricing::DisplayName:FuelIndexValue:ValueDate',
      kind: 'date',
      isRequired: true,
    },
    { name: 'value', title: 'Pricing::DisplayName:FuelIndexValue:Value', kind: 'decimal', isRequired: true },
  ]
  const form = useForm({
    draft: `index-value:${fuelIndexId}`,
    initial: nothing,
    async save(values) {
      await run(fuelIndexValues.create, { ...inputOf(values, fields), fuelIndexId })
      form.reset(nothing)
    },
    fieldOfCode: { ValueAlreadyExists: 'valueDate' },
  })
  return (
    <FormBody form={form} submitText={t('Pricing:AddValue')}>
      <Fields form={form} fields={fields} />
    </FormBody>
  )
}
