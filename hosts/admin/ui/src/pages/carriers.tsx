import { type CarrierDto, CarrierPermissions, CarrierType } from '@keel/hub-proxy'
import { useApplication } from '../application.js'
import type { Column } from '../parts/data-list.js'
import { EditDialog, type Editing } from '../parts/edit-dialog.js'
import { enumOptions } from '../parts/fields.js'
import { carriers } from '../parts/hub.js'
import { codeAndName, ListPage } from '../parts/list-page.js'
import { OrganizationSelect } from '../parts/organizations.js'

type Carrier = InstanceType<typeof CarrierDto>
const own = (name: string) => `Ops:Carrier:${name}`

const valuesOf = (carrier?: Carrier) => ({
  code: carrier?.code ?? '',
  name: carrier?.name ?? '',
  carrierType: (carrier?.carrierType ?? CarrierType.Ocean) as number,
  scacCode: carrier?.scacCode ?? '',
  iataCode: carrier?.iataCode ?? '',
  awbPrefix: carrier?.awbPrefix ?? '',
  organizationId: carrier?.organizationId ?? null,
  countryCode: carrier?.countryCode ?? '',
})

/** Shipping lines, airlines and other operators of transports, which forms offer. */
export function Page() {
  const { t, may } = useApplication()
  const { Create, Edit, Delete } = CarrierPermissions
  const editing: Editing<Carrier, ReturnType<typeof valuesOf>> = {
    draft: 'carrier',
    get: carriers.get,
    create: carriers.create as never,
    update: carriers.update as never,
    valuesOf,
    fields: [
      { name: 'code', title: 'AbpUi::DisplayName:Code', isRequired: true },
      { name: 'name', title: 'AbpUi::DisplayName:Name', isRequired: true },
      {
        name: 'carrierType',
        title: 'Kind',
        kind: 'enum',
        isRequired: true,
        options: enumOptions(t, 'Hub::Enum:CarrierType', CarrierType),
      },
      { name: 'countryCode', title: 'Hub::DisplayName:Country', hint: 'CountryCodeHint' },
      { name: 'scacCode', title: own('ScacCode'), hint: own('ScacCodeHint') },
      { name: 'iataCode', title: 'Hub::DisplayName:Port:IataCode', hint: own('IataCodeHint') },
      { name: 'awbPrefix', title: own('AwbPrefix'), hint: own('AwbPrefixHint') },
      { name: 'organizationId', title: 'Hub::Entity:Organization', kind: 'pick', pick: OrganizationSelect },
    ],
    fieldOfCode: {
      CodeAlreadyExists: 'code',
      ScacAlreadyExists: 'scacCode',
      AwbPrefixAlreadyExists: 'awbPrefix',
    },
  }
  const columns: Column<Carrier>[] = [
    ...codeAndName<Carrier>(),
    {
      id: 'kind',
      title: 'Kind',
      sort: 'carrierType',
      cell: ({ carrierType }) => t(`Hub::Enum:CarrierType.${carrierType}`),
    },
    { id: 'scac', title: own('ScacCode'), sort: 'scacCode', cell: ({ scacCode }) => scacCode },
    {
      id: 'iata',
      title: 'Hub::DisplayName:Port:IataCode',
      sort: 'iataCode',
      cell: ({ iataCode }) => iataCode,
    },
    { id: 'awb', title: own('AwbPrefix'), sort: 'awbPrefix', cell: ({ awbPrefix }) => awbPrefix },
    {
      id: 'country',
      title: 'Hub::DisplayName:Country',
      isExtra: true,
      cell: ({ countryCode }) => countryCode,
    },
  ]
  return (
    <ListPage
      title="Ops:Carriers"
      hint="Ops:CarriersHint"
      icon="building"
      emptyHint="Ops:NoCarriersHint"
      views="Carriers"
      list={carriers.getList}
      columns={columns}
      work={{
        newTitle: may(Create) && 'Ops:NewCarrier',
        mayEdit: may(Edit),
        dialog: (id, onClose) => (
          <EditDialog
            id={id}
            title={t(id ? 'Hub::Entity:Carrier' : 'Ops:NewCarrier')}
            editing={editing}
            mayChange={may(id ? Edit : Create)}
            onClose={onClose}
          />
        ),
      }}
      revival={carriers}
      removal={
        may(Delete) && {
          call: carriers.delete,
          warn: ({ code, name }) => t('Pricing:DeactivateHint', { name: `${code} · ${name}` }),
        }
      }
    />
  )
}
