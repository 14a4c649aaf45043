import {
  CodeEntityPermissions,
  type ConvertedUnitDto,
  type UnitOfMeasureDto,
  UnitQuantity,
} from '@keel/hub-proxy'
import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import { useApplication } from '../application.js'
import type { Column } from '../parts/data-list.js'
import { Dialog } from '../parts/dialog.js'
import { EditDialog, type Editing } from '../parts/edit-dialog.js'
import { enumOptions, type Field, Fields, inputOf } from '../parts/fields.js'
import { FormBody, useForm } from '../parts/form.js'
import { useFormats } from '../parts/formats.js'
import { unitsOfMeasure } from '../parts/hub.js'
import { Icon } from '../parts/icons.js'
import { codeAndName, ListPage } from '../parts/list-page.js'
import { useUrlState } from '../parts/url-state.js'

type Unit = InstanceType<typeof UnitOfMeasureDto>
const own = (name: string) => `Hub::DisplayName:UnitOfMeasure:${name}`

const valuesOf = (unit?: Unit) => ({
  code: unit?.code ?? '',
  name: unit?.name ?? '',
  symbol: unit?.symbol ?? '',
  quantity: unit?.quantity ?? UnitQuantity.Count,
  factorToBase: unit?.factorToBase ?? '1',
  offsetToBase: unit?.offsetToBase ?? '0',
})
type Values = ReturnType<typeof valuesOf>

/** Units of measure, and a dialog that converts. */
export function Page() {
  const { t, may } = useApplication()
  const [url, setUrl] = useUrlState()
  const quantities = enumOptions(t, 'Hub::Enum:UnitQuantity', UnitQuantity)
  const { Create, Edit, Delete } = CodeEntityPermissions
  const editing: Editing<Unit, Values> = {
    draft: 'unit',
    get: unitsOfMeasure.get,
    create: unitsOfMeasure.create as never,
    update: unitsOfMeasure.update as never,
    valuesOf,
    fields: [
      { name: 'code', title: 'AbpUi::DisplayName:Code', hint: 'Ops:UnitHint', isRequired: true },
      { name: 'name', title: 'AbpUi::DisplayName:Name', isRequired: true },
      { name: 'symbol', title: own('Symbol') },
      { name: 'quantity', title: own('Quantity'), kind: 'enum', options: quantities, isRequired: true },
      {
        name: 'factorToBase',
        title: own('FactorToBase'),
        hint: 'Ops:FactorHint',
        kind: 'decimal',
        isRequired: true,
      },
      {
        name: 'offsetToBase',
        title: own('OffsetToBase'),
        hint: 'Ops:OffsetHint',
        kind: 'decimal',
        isRequired: true,
        isShown: ({ quantity }) => quantity === UnitQuantity.Temperature,
      },
    ],
    fieldOfCode: { AlreadyExists: 'code', InUse: 'code' },
  }
  const columns: Column<Unit>[] = [
    ...codeAndName<Unit>(),
    { id: 'symbol', title: own('Symbol'), cell: ({ symbol }) => symbol },
    {
      id: 'quantity',
      title: own('Quantity'),
      sort: 'quantity',
      cell: ({ quantity }) => t(`Hub::Enum:UnitQuantity.${quantity}`),
    },
    { id: 'factor', title: own('FactorToBase'), cell: ({ factorToBase }) => factorToBase },
    { id: 'offset', title: own('OffsetToBase'), isExtra: true, cell: ({ offsetToBase }) => offsetToBase },
  ]
  return (
    <ListPage
      title="Ops:Units"
      hint="Ops:UnitsHint"
      icon="grid"
      emptyHint="Ops:NoUnitsHint"
      views="UnitsOfMeasure"
      list={unitsOfMeasure.getList}
      columns={columns}
      filters={[{ name: 'quantity', title: own('Quantity'), kind: 'enum', options: quantities }]}
      commands={
        <Button
          variant="default"
          leftSection={<Icon name="refresh" />}
          onClick={() => setUrl({ convert: 'open' }, true)}
        >
          {t('Ops:ConvertUnits')}
        </Button>
      }
      work={{
        newTitle: may(Create) && 'Ops:NewUnit',
        mayEdit: may(Edit),
        dialog: (id, onClose) => (
          <EditDialog
            id={id}
            title={t(id ? 'Hub::Entity:UnitOfMeasure' : 'Ops:NewUnit')}
            editing={editing}
            mayChange={may(id ? Edit : Create)}
            onClose={onClose}
          />
        ),
      }}
      revival={unitsOfMeasure}
      removal={
        may(Delete) && {
          call: unitsOfMeasure.delete,
          warn: ({ code, name }) => t('Pricing:DeactivateHint', { name: `${code} · ${name}` }),
        }
      }
    >
      {url['convert'] && <ConvertDialog onClose={() => setUrl({ convert: undefined })} />}
    </ListPage>
  )
}

const asked = { value: '', from: 'LBR', to: 'KGM' }
const fields: readonly Field<typeof asked>[] = [
  { name: 'value', title: 'Ops:Value', kind: 'decimal', isRequired: true },
  { name: 'from', title: 'Ops:FromUnit', kind: 'code', lookup: [unitsOfMeasure.getLookup], isRequired: true },
  { name: 'to', title: 'Ops:ToUnit', kind: 'code', lookup: [unitsOfMeasure.getLookup], isRequired: true },
]

function ConvertDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useApplication()
  const formats = useFormats()
  const [answer, setAnswer] = useState<InstanceType<typeof ConvertedUnitDto>>()
  const form = useForm({
    draft: 'convert-unit',
    initial: asked,
    fieldOfCode: { QuantityMismatch: 'to' },
    async save(values) {
      setAnswer(undefined)
      setAnswer(await unitsOfMeasure.convert(inputOf(values, fields)))
    },
  })
  return (
    <Dialog title={t('Ops:ConvertUnits')} onClose={onClose}>
      <FormBody form={form} onCancel={onClose} submitText={t('Pricing:ConvertNow')}>
        <Fields form={form} fields={fields} />
        <Text fz={22} fw={650} role="status">
          {answer && `${formats.decimal(answer.value)} ${answer.unitCode}`}
        </Text>
      </FormBody>
    </Dialog>
  )
}
