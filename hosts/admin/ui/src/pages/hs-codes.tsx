import { CodeEntityPermissions, type HsCodeDto, ReferenceDataPermissions } from '@keel/hub-proxy'
import { useQuery } from '@keel/react'
import { Anchor, Button, Skeleton, Stack, Text } from '@mantine/core'
import { useApplication } from '../application.js'
import type { Column, RowAction } from '../parts/data-list.js'
import { Drawer } from '../parts/drawer.js'
import { EditDialog, type Editing } from '../parts/edit-dialog.js'
import { harmonizedSystem, hsCodes } from '../parts/hub.js'
import { Icon } from '../parts/icons.js'
import { ImportFiles } from '../parts/import-files.js'
import { ListPage } from '../parts/list-page.js'
import { ErrorAlert } from '../parts/states.js'
import { useUrlState } from '../parts/url-state.js'

type HsCode = InstanceType<typeof HsCodeDto>
const own = (name: string) => `Hub::DisplayName:HsCode:${name}`
const levels = [2, 4, 6] as const
const deepest = 6

const valuesOf = (row?: HsCode) => ({
  code: row?.code ?? '',
  sectionCode: row?.sectionCode ?? '',
  description: row?.description ?? '',
})

const editing: Editing<HsCode, ReturnType<typeof valuesOf>> = {
  draft: 'hs-code',
  get: hsCodes.get,
  create: hsCodes.create as never,
  update: hsCodes.update as never,
  valuesOf,
  fields: [
    { name: 'code', title: 'AbpUi::DisplayName:Code', isRequired: true },
    { name: 'sectionCode', title: own('SectionCode'), isRequired: true },
    { name: 'description', title: 'AbpUi::DisplayName:Description', kind: 'area', isRequired: true },
  ],
  fieldOfCode: { AlreadyExists: 'code', InUse: 'code' },
}

/** Codes of goods, and the file that they come from. */
export function Page() {
  const { t, may } = useApplication()
  const [url, setUrl] = useUrlState()
  const { Create, Edit, Delete } = CodeEntityPermissions
  const columns: Column<HsCode>[] = [
    {
      id: 'code',
      title: 'AbpUi::DisplayName:Code',
      sort: 'code',
      isEssential: true,
      cell: ({ code }) => code,
    },
    {
      id: 'description',
      title: 'AbpUi::DisplayName:Description',
      isEssential: true,
      cell: ({ description }) => description,
    },
    { id: 'level', title: 'Ops:HsLevel', sort: 'level', cell: ({ level }) => t(`Ops:HsLevel.${level}`) },
    {
      id: 'section',
      title: own('SectionCode'),
      sort: 'sectionCode',
      cell: ({ sectionCode }) => sectionCode,
    },
  ]
  const below = ({ id }: HsCode) => setUrl({ below: id }, true)
  const actions: RowAction<HsCode>[] = [
    { title: 'Ops:HsBelow', icon: 'tree', run: below, isShown: ({ level }) => level < deepest },
  ]
  return (
    <ListPage
      title="Ops:HsCodes"
      hint="Ops:HsCodesHint"
      icon="tree"
      emptyHint="Ops:NoHsCodesHint"
      views="HsCodes"
      list={hsCodes.getList}
      columns={columns}
      actions={actions}
      filters={[
        {
          name: 'level',
          title: 'Ops:HsLevel',
          kind: 'enum',
          options: levels.map((level) => ({ value: String(level), label: t(`Ops:HsLevel.${level}`) })),
        },
      ]}
      commands={
        may(ReferenceDataPermissions.Import) && (
          <ImportFiles
            service={harmonizedSystem}
            title="Import:HarmonizedSystem"
            hint="Import:HarmonizedSystemHint"
          />
        )
      }
      work={{
        newTitle: may(Create) && 'Ops:NewHsCode',
        mayEdit: may(Edit),
        dialog: (id, onClose) => (
          <EditDialog
            id={id}
            title={t(id ? 'Hub::Entity:HsCode' : 'Ops:NewHsCode')}
            editing={editing}
            mayChange={may(id ? Edit : Create)}
            onClose={onClose}
          />
        ),
      }}
      revival={hsCodes}
      removal={
        may(Delete) && {
          call: hsCodes.delete,
          warn: ({ code, description }) => t('Pricing:DeactivateHint', { name: `${code} · ${description}` }),
        }
      }
    >
      {url['below'] && (
        <Below
          id={url['below']}
          onChoose={(id) => setUrl({ below: id }, true)}
          onClose={() => setUrl({ below: undefined })}
        />
      )}
    </ListPage>
  )
}

/** The codes right below one, and the way up and down from there. */
function Below({
  id,
  onChoose,
  onClose,
}: {
  readonly id: string
  readonly onChoose: (id: string) => void
  readonly onClose: () => void
}) {
  const { t } = useApplication()
  const { data: top } = useQuery(hsCodes.get, id)
  const { data, error } = useQuery(hsCodes.getChildren, id)
  const parentId = top?.parentId
  return (
    <Drawer onClose={onClose} size="lg" title={top ? `${top.code} · ${top.description}` : ''}>
      <Stack gap="xs" align="flex-start">
        {parentId && (
          <Button
            variant="default"
            size="xs"
            leftSection={<Icon name="up" size={16} />}
            onClick={() => onChoose(parentId)}
          >
            {top.code.slice(0, -2)}
          </Button>
        )}
        {error && <ErrorAlert error={error} />}
        {!data && !error && <Skeleton height={160} />}
        {data?.length === 0 && (
          <Text size="sm" c="dimmed">
            {t('Ops:HsNoneBelow')}
          </Text>
        )}
        {data?.map((child) => (
          <Text key={child.id} size="sm">
            {child.level < deepest ? (
              <Anchor component="button" type="button" size="sm" onClick={() => onChoose(child.id)}>
                {child.code}
              </Anchor>
            ) : (
              child.code
            )}
            {` · ${child.description}`}
          </Text>
        ))}
      </Stack>
    </Drawer>
  )
}
