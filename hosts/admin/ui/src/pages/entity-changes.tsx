import {
  AuditLoggingPermissions,
  type EntityChangeDto,
  EntityChangeType,
  type GetEntityChangesDto,
} from '@keel/platform-proxy'
import { useQuery } from '@keel/react'
import { Skeleton, Stack, Text } from '@mantine/core'
import { useApplication } from '../application.js'
import { auditLogs, ChangeBadge, ChangeCard, shortType } from '../parts/audit.js'
import type { Column } from '../parts/data-list.js'
import { saveBase64 } from '../parts/download.js'
import { Drawer } from '../parts/drawer.js'
import { ExportButton } from '../parts/export-button.js'
import { enumOptions } from '../parts/fields.js'
import { type Filter, filterInput } from '../parts/filters.js'
import { ListPage } from '../parts/list-page.js'
import { EmptyState, ErrorAlert } from '../parts/states.js'
import { useUrlState } from '../parts/url-state.js'

type Change = InstanceType<typeof EntityChangeDto>
const text = (key: string) => `AbpAuditLogging::${key}`

/** Every change of an audited entity, and the history of each. */
export function Page() {
  const { t, may, formatInstant } = useApplication()
  const [url, setUrl] = useUrlState()
  const filters: readonly Filter[] = [
    { name: 'entityTypeFullName', title: text('EntityTypeFullName'), kind: 'text' },
    {
      name: 'entityChangeType',
      title: text('ChangeType'),
      kind: 'enum',
      options: enumOptions(t, text('Enum:EntityChangeType'), EntityChangeType),
    },
    { name: 'entityId', title: text('EntityId'), kind: 'text', isExtra: true },
    { name: 'startDate', title: text('StartDate'), kind: 'instant', isExtra: true },
    { name: 'endDate', title: text('EndDate'), kind: 'instant', isExtra: true },
  ]
  const columns: Column<Change>[] = [
    {
      id: 'time',
      title: text('ChangeTime'),
      sort: 'changeTime',
      isEssential: true,
      cell: ({ changeTime }) => formatInstant(changeTime),
    },
    {
      id: 'kind',
      title: text('ChangeType'),
      isEssential: true,
      cell: ({ changeType }) => <ChangeBadge type={changeType} />,
    },
    {
      id: 'type',
      title: text('EntityTypeFullName'),
      sort: 'entityTypeFullName',
      isEssential: true,
      cell: ({ entityTypeFullName }) => (
        <span title={entityTypeFullName}>{shortType(entityTypeFullName)}</span>
      ),
    },
    { id: 'entity', title: text('EntityId'), cell: ({ entityId }) => entityId },
  ]
  const exportAll = async () => {
    const input = filterInput(filters, url) as InstanceType<typeof GetEntityChangesDto>
    const { fileData, fileName } = await auditLogs.exportEntityChangesToExcel(input)
    saveBase64(fileData, fileName)
  }
  const [type, entityId] = url['history']?.split('|') ?? []
  return (
    <ListPage
      title={text('EntityChanges')}
      hint="EntityChangesHint"
      icon="history"
      emptyHint="NoEntityChangesHint"
      views="EntityChanges"
      list={auditLogs.getEntityChanges}
      columns={columns}
      filters={filters}
      isSearchable={false}
      onOpen={(change) => setUrl({ history: `${change.entityTypeFullName}|${change.entityId}` }, true)}
      commands={may(AuditLoggingPermissions.Export) && <ExportButton save={exportAll} />}
    >
      {type && entityId && (
        <HistoryDrawer type={type} entityId={entityId} onClose={() => setUrl({ history: undefined })} />
      )}
    </ListPage>
  )
}

/** All changes of one entity, the newest first, each with what it was and what it became. */
function HistoryDrawer({
  type,
  entityId,
  onClose,
}: {
  readonly type: string
  readonly entityId: string
  readonly onClose: () => void
}) {
  const { t } = useApplication()
  const history = useQuery(auditLogs.getEntityChangesWithUsername, { entityTypeFullName: type, entityId })
  const changes = [...(history.data ?? [])].sort(
    (a, b) => b.entityChange.changeTime.getTime() - a.entityChange.changeTime.getTime(),
  )
  return (
    <Drawer onClose={onClose} size="xl" title={`${t(text('ChangeHistory'))}: ${shortType(type)}`}>
      <Text size="sm" c="dimmed" mb="md" className="keel-break">
        {type} {entityId}
      </Text>
      {history.error && <ErrorAlert error={history.error} retry={() => void history.refetch()} />}
      {history.isPending && <Skeleton height={320} />}
      {history.data?.length === 0 && <EmptyState icon="history" title={t('NoChanges')} />}
      <Stack gap="lg">
        {changes.map(({ entityChange, userName }) => (
          <ChangeCard
            key={entityChange.id}
            change={entityChange}
            author={userName ?? t('TheProgram')}
            hasHistory={false}
          />
        ))}
      </Stack>
    </Drawer>
  )
}
