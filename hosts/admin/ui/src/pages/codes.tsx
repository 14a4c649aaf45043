import { type CodeEntityDto, CodeEntityPermissions } from '@keel/hub-proxy'
import { useApplication } from '../application.js'
import type { Column } from '../parts/data-list.js'
import { EditDialog, type Editing } from '../parts/edit-dialog.js'
import type { Filter } from '../parts/filters.js'
import { codeEntities } from '../parts/hub.js'
import { ListFiles } from '../parts/list-files.js'
import { activeFilter, codeAndName, ListPage } from '../parts/list-page.js'

type Code = InstanceType<typeof CodeEntityDto>
const own = (name: string) => `Hub::DisplayName:CodeEntity:${name}`

/** The keys of the names of the lists, by type. */
const listNames: Readonly<Record<string, string>> = {
  TransportMode: 'Hub::DisplayName:TransportMode',
  ContainerMode: 'Hub::DisplayName:Shipment:ContainerMode',
  Incoterm: 'Hub::DisplayName:Incoterm',
  ServiceLevel: 'Hub::DisplayName:Shipment:ServiceLevel',
  ReleaseType: 'Hub::DisplayName:Shipment:ReleaseType',
  PackageType: 'Hub::DisplayName:Shipment:PackageType',
  DocumentType: 'Hub::DisplayName:Document:DocumentType',
  ExceptionType: 'Ops:ExceptionType',
}

const valuesOf = (row?: Code) => ({
  type: row?.type ?? null,
  code: row?.code ?? '',
  name: row?.name ?? '',
  description: row?.description ?? '',
  standardCode: '',
  sortOrder: null as number | null,
})
type Values = ReturnType<typeof valuesOf>

/** The small coded lists that forms offer, in one list. */
export function Page() {
  const { t, may } = useApplication()
  const { Create, Edit, Delete } = CodeEntityPermissions
  const nameOfList = (type: string) => (listNames[type] ? t(listNames[type]) : type)
  const lists = Object.keys(listNames).map((type) => ({ value: type, label: nameOfList(type) }))
  const editingOf = (isNew: boolean): Editing<Code, Values> => ({
    draft: 'code',
    ownFields: 'Hub.CodeEntity',
    get: codeEntities.get,
    create: codeEntities.create as never,
    update: codeEntities.update as never,
    valuesOf,
    // The server does not tell the position and the standard code of a row: they stay.
    toInput: ({ standardCode, sortOrder, ...members }) =>
      isNew ? { ...members, standardCode, ...(sortOrder !== null && { sortOrder }) } : members,
    fields: [
      { name: 'type', title: 'Ops:CodeList', kind: 'choice', options: lists, isRequired: true },
      { name: 'code', title: 'AbpUi::DisplayName:Code', isRequired: true },
      { name: 'name', title: 'AbpUi::DisplayName:Name', isRequired: true },
      { name: 'standardCode', title: own('StandardCode'), isShown: () => isNew },
      { name: 'sortOrder', title: own('SortOrder'), kind: 'number', isShown: () => isNew },
      { name: 'description', title: 'AbpUi::DisplayName:Description', kind: 'area' },
    ],
    fieldOfCode: { AlreadyExists: 'code', InUse: 'code' },
  })
  const columns: Column<Code>[] = [
    ...codeAndName<Code>(),
    {
      id: 'type',
      title: 'Ops:CodeList',
      sort: 'type',
      cell: ({ type }) => nameOfList(type),
    },
    { id: 'description', title: 'AbpUi::DisplayName:Description', cell: ({ description }) => description },
  ]
  const filters: readonly Filter[] = [{ name: 'type', title: 'Ops:CodeList', kind: 'choice', options: lists }]
  return (
    <ListPage
      title="Ops:Codes"
      hint="Ops:CodesHint"
      icon="list"
      emptyHint="Ops:NoCodesHint"
      views="CodeEntities"
      list={codeEntities.getList}
      columns={columns}
      filters={filters}
      commands={
        <ListFiles
          excel={codeEntities.getListAsExcelFile}
          csv={codeEntities.getListAsCsvFile}
          filters={[...filters, activeFilter(t)]}
        />
      }
      work={{
        newTitle: may(Create) && 'Ops:NewCode',
        mayEdit: may(Edit),
        dialog: (id, onClose) => (
          <EditDialog
            id={id}
            title={t(id ? 'Hub::Entity:CodeEntity' : 'Ops:NewCode')}
            editing={editingOf(id === undefined)}
            mayChange={may(id ? Edit : Create)}
            onClose={onClose}
          />
        ),
      }}
      revival={codeEntities}
      removal={
        may(Delete) && {
          call: codeEntities.delete,
          warn: ({ code, name }) => t('Pricing:DeactivateHint', { name: `${code} · ${name}` }),
        }
      }
    />
  )
}
