import { EmissionFactorAppService, type EmissionFactorDto, EmissionFactorPermissions } from '@keel/hub-proxy'
import { useQuery } from '@keel/react'
import { useApplication } from '../application.js'
import { openProxy } from '../clients.js'
import type { Column } from '../parts/data-list.js'
import { EditDialog, type Editing } from '../parts/edit-dialog.js'
import { useFormats } from '../parts/formats.js'
import { codeEntities } from '../parts/hub.js'
import { useCodes } from '../parts/hub-selects.js'
import { ListPage } from '../parts/list-page.js'

type Factor = InstanceType<typeof EmissionFactorDto>
const { emissionFactors } = openProxy({ emissionFactors: { service: EmissionFactorAppService } })
const own = (name: string) => `Ops:EmissionFactor:${name}`

const valuesOf = (factor?: Factor) => ({
  code: factor?.code ?? '',
  transportModeId: factor?.transportModeId ?? null,
  vehicleClass: factor?.vehicleClass ?? '',
  region: factor?.region ?? '',
  minDistanceKm: factor?.minDistanceKm ?? null,
  maxDistanceKm: factor?.maxDistanceKm ?? null,
  wtwGramsPerTkm: factor?.wtwGramsPerTkm ?? null,
  ttwGramsPerTkm: factor?.ttwGramsPerTkm ?? null,
  distanceUpliftPercent: factor?.distanceUpliftPercent ?? '0',
  distanceAddKm: factor?.distanceAddKm ?? '0',
  source: factor?.source ?? '',
  sourceYear: factor?.sourceYear ?? null,
  validFrom: factor?.validFrom ?? '',
  validTo: factor?.validTo ?? '',
  isTemperatureControlled: factor?.isTemperatureControlled ?? false,
  isDefault: factor?.isDefault ?? false,
})

/** Greenhouse gases of a tonne-kilometre, by which the emissions of shipments are computed. */
export function Page() {
  const { t, may } = useApplication()
  const { decimal, date } = useFormats()
  const { Create, Edit, Delete } = EmissionFactorPermissions
  const modes = useCodes('TransportMode')
  const { data: named } = useQuery(codeEntities.getLookup, { type: 'TransportMode' })
  const modeNames = new Map(named?.map(({ id, name }) => [id, name]))
  const editing: Editing<Factor, ReturnType<typeof valuesOf>> = {
    draft: 'emission-factor',
    get: emissionFactors.get,
    create: emissionFactors.create as never,
    update: emissionFactors.update as never,
    valuesOf,
    fields: [
      { name: 'code', title: 'AbpUi::DisplayName:Code', isRequired: true },
      {
        name: 'transportModeId',
        title: 'Hub::DisplayName:TransportMode',
        kind: 'choice',
        options: modes,
        isRequired: true,
      },
      { name: 'vehicleClass', title: own('VehicleClass'), hint: own('VehicleClassHint'), isRequired: true },
      { name: 'region', title: own('Region'), hint: own('RegionHint') },
      {
        name: 'wtwGramsPerTkm',
        title: own('WtwGramsPerTkm'),
        hint: own('WtwHint'),
        kind: 'number',
        isRequired: true,
      },
      { name: 'ttwGramsPerTkm', title: own('TtwGramsPerTkm'), hint: own('TtwHint'), kind: 'number' },
      { name: 'minDistanceKm', title: own('MinDistanceKm'), kind: 'number' },
      { name: 'maxDistanceKm', title: own('MaxDistanceKm'), hint: own('MaxDistanceHint'), kind: 'number' },
      {
        name: 'distanceUpliftPercent',
        title: own('DistanceUpliftPercent'),
        hint: own('DistanceHint'),
        kind: 'decimal',
        isRequired: true,
      },
      {
        name: 'distanceAddKm',
        title: own('DistanceAddKm'),
        hint: own('DistanceHint'),
        kind: 'decimal',
        isRequired: true,
      },
      { name: 'source', title: own('Source'), hint: own('SourceHint'), isRequired: true },
      { name: 'sourceYear', title: own('SourceYear'), kind: 'number', isRequired: true },
      { name: 'validFrom', title: 'Pricing::DisplayName:RateCard:ValidFrom', kind: 'date', isRequired: true },
      { name: 'validTo', title: 'Pricing::DisplayName:RateCard:ValidTo', kind: 'date' },
      { name: 'isTemperatureControlled', title: own('IsTemperatureControlled'), kind: 'check' },
      { name: 'isDefault', title: own('IsDefault'), hint: own('IsDefaultHint'), kind: 'check' },
    ],
    fieldOfCode: { FactorAlreadyExists: 'code' },
  }
  const columns: Column<Factor>[] = [
    {
      id: 'code',
      title: 'AbpUi::DisplayName:Code',
      sort: 'code',
      isEssential: true,
      cell: ({ code }) => code,
    },
    {
      id: 'mode',
      title: 'Hub::DisplayName:TransportMode',
      cell: ({ transportModeId }) => modeNames.get(transportModeId),
    },
    {
      id: 'class',
      title: own('VehicleClass'),
      sort: 'vehicleClass',
      cell: ({ vehicleClass }) => vehicleClass,
    },
    { id: 'region', title: own('Region'), sort: 'region', isExtra: true, cell: ({ region }) => region },
    {
      id: 'wtw',
      title: own('WtwGramsPerTkm'),
      sort: 'wtwGramsPerTkm',
      isEssential: true,
      isFigure: true,
      cell: ({ wtwGramsPerTkm }) => decimal(wtwGramsPerTkm),
    },
    {
      id: 'validity',
      title: 'Pricing:Validity',
      sort: 'validFrom',
      cell: ({ validFrom, validTo }) => `${date(validFrom)} – ${date(validTo)}`,
    },
    {
      id: 'default',
      title: own('IsDefault'),
      cell: ({ isDefault }) => t(isDefault ? 'AbpUi::Yes' : 'AbpUi::No'),
    },
    {
      id: 'ttw',
      title: own('TtwGramsPerTkm'),
      sort: 'ttwGramsPerTkm',
      isExtra: true,
      isFigure: true,
      cell: ({ ttwGramsPerTkm }) => decimal(ttwGramsPerTkm),
    },
    { id: 'source', title: own('Source'), sort: 'source', isExtra: true, cell: ({ source }) => source },
  ]
  return (
    <ListPage
      title="Ops:EmissionFactors"
      hint="Ops:EmissionFactorsHint"
      icon="globe"
      emptyHint="Ops:NoEmissionFactorsHint"
      views="EmissionFactors"
      list={emissionFactors.getList}
      columns={columns}
      filters={[
        {
          name: 'transportModeId',
          title: 'Hub::DisplayName:TransportMode',
          kind: 'choice',
          options: modes,
        },
      ]}
      work={{
        newTitle: may(Create) && 'Ops:NewEmissionFactor',
        mayEdit: may(Edit),
        dialog: (id, onClose) => (
          <EditDialog
            id={id}
            title={t(id ? 'Hub::Entity:EmissionFactor' : 'Ops:NewEmissionFactor')}
            editing={editing}
            mayChange={may(id ? Edit : Create)}
            onClose={onClose}
          />
        ),
      }}
      revival={emissionFactors}
      removal={
        may(Delete) && {
          call: emissionFactors.delete,
          warn: ({ code }) => t(own('DeleteHint'), { name: code }),
        }
      }
    />
  )
}
