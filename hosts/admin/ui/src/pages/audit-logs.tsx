import '@mantine/core/styles/Tabs.css'
import {
  type AuditLogDto,
  AuditLoggingPermissions,
  browserText,
  type GetAuditLogListDto,
} from '@keel/platform-proxy'
import { useQuery } from '@keel/react'
import { Badge, Skeleton, Stack, Tabs, Text, Title } from '@mantine/core'
import { useApplication } from '../application.js'
import { auditLogs, ChangeCard, prettyJson } from '../parts/audit.js'
import { AuditFigures } from '../parts/audit-figures.js'
import type { Column } from '../parts/data-list.js'
import { saveBase64 } from '../parts/download.js'
import { Drawer } from '../parts/drawer.js'
import { ExportButton } from '../parts/export-button.js'
import { Facts } from '../parts/facts.js'
import { type Filter, filterInput } from '../parts/filters.js'
import { ListPage } from '../parts/list-page.js'
import { EmptyState, ErrorAlert } from '../parts/states.js'
import { useUrlState } from '../parts/url-state.js'

type Log = InstanceType<typeof AuditLogDto>
const text = (key: string) => `AbpAuditLogging::${key}`
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((value) => ({ value, label: value }))

const filters: readonly Filter[] = [
  { name: 'userName', title: text('UserName'), kind: 'text' },
  { name: 'url', title: text('Url'), kind: 'text' },
  { name: 'hasException', title: text('HasException'), kind: 'flag' },
  { name: 'startTime', title: text('StartTime'), kind: 'instant', isExtra: true },
  { name: 'endTime', title: text('EndTime'), kind: 'instant', isExtra: true },
  { name: 'httpMethod', title: text('HttpMethod'), kind: 'choice', options: methods, isExtra: true },
  { name: 'httpStatusCode', title: text('HttpStatusCode'), kind: 'number', isExtra: true },
  { name: 'minExecutionDuration', title: text('MinDuration'), kind: 'number', isExtra: true },
  { name: 'maxExecutionDuration', title: text('MaxDuration'), kind: 'number', isExtra: true },
  { name: 'applicationName', title: text('ApplicationName'), kind: 'text', isExtra: true },
  { name: 'clientId', title: text('ClientId'), kind: 'text', isExtra: true },
  { name: 'clientIpAddress', title: text('ClientIpAddress'), kind: 'text', isExtra: true },
  { name: 'correlationId', title: text('CorrelationId'), kind: 'text', isExtra: true },
]

/** What requests did: who, when, with which answer, and which entities they changed. */
export function Page() {
  const { may, formatInstant, formatNumber } = useApplication()
  const [url, setUrl] = useUrlState()
  const columns: Column<Log>[] = [
    {
      id: 'time',
      title: text('Time'),
      sort: 'executionTime',
      isEssential: true,
      cell: ({ executionTime }) => formatInstant(executionTime),
    },
    { id: 'user', title: text('UserName'), sort: 'userName', cell: ({ userName }) => userName ?? '–' },
    {
      id: 'request',
      title: text('HttpRequest'),
      isEssential: true,
      cell: ({ httpMethod, url: path }) => `${httpMethod} ${path}`,
    },
    {
      id: 'status',
      title: text('HttpStatusCode'),
      sort: 'httpStatusCode',
      cell: (log) => <Status log={log} />,
    },
    {
      id: 'duration',
      title: text('Duration'),
      sort: 'executionDuration',
      isFigure: true,
      cell: ({ executionDuration }) => formatNumber(executionDuration),
    },
    {
      id: 'host',
      title: text('ApplicationName'),
      isExtra: true,
      cell: ({ applicationName }) => applicationName,
    },
    { id: 'client', title: text('ClientId'), isExtra: true, cell: ({ clientId }) => clientId },
    {
      id: 'address',
      title: text('ClientIpAddress'),
      isExtra: true,
      cell: ({ clientIpAddress }) => clientIpAddress,
    },
  ]
  const exportAll = async () => {
    const input = { ...filterInput(filters, url), sorting: url['sorting'] } as InstanceType<
      typeof GetAuditLogListDto
    >
    const { fileData, fileName } = await auditLogs.exportToExcel(input)
    saveBase64(fileData, fileName)
  }
  return (
    <ListPage
      title={text('AuditLogs')}
      hint="AuditLogsHint"
      icon="list"
      emptyHint="NoAuditLogsHint"
      views="AuditLogs"
      list={auditLogs.getList}
      columns={columns}
      filters={filters}
      isSearchable={false}
      onOpen={({ id }) => setUrl({ log: id }, true)}
      commands={may(AuditLoggingPermissions.Export) && <ExportButton save={exportAll} />}
      above={<AuditFigures />}
    >
      {url['log'] && <LogDrawer id={url['log']} onClose={() => setUrl({ log: undefined })} />}
    </ListPage>
  )
}

function Status({ log }: { readonly log: Log }) {
  const { httpStatusCode, exceptions } = log
  const color =
    exceptions || (httpStatusCode ?? 0) >= 500 ? 'red' : (httpStatusCode ?? 0) >= 400 ? 'orange' : 'teal'
  return (
    <Badge variant="light" color={color}>
      {httpStatusCode ?? '–'}
    </Badge>
  )
}

function LogDrawer({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { t, formatInstant, formatNumber } = useApplication()
  const log = useQuery(auditLogs.get, id)
  const { data } = log
  return (
    <Drawer onClose={onClose} size="xl" title={t(text('AuditLogDetail'))}>
      {log.error && <ErrorAlert error={log.error} retry={() => void log.refetch()} />}
      {log.isPending && <Skeleton height={320} />}
      {data && (
        <Tabs defaultValue="overall" keepMounted={false}>
          <Tabs.List mb="md">
            <Tabs.Tab value="overall">{t(text('Overall'))}</Tabs.Tab>
            <Tabs.Tab value="actions">{`${t(text('Actions'))} (${data.actions.length})`}</Tabs.Tab>
            <Tabs.Tab value="changes">{`${t(text('EntityChanges'))} (${data.entityChanges.length})`}</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="overall">
            <Facts
              facts={[
                [text('HttpRequest'), `${data.httpMethod} ${data.url}`],
                [text('HttpStatusCode'), <Status key="status" log={data} />],
                [text('ExecutionTime'), formatInstant(data.executionTime)],
                [text('ExecutionDuration'), formatNumber(data.executionDuration)],
                [text('UserName'), data.userName],
                [text('ImpersonatorUserName'), data.impersonatorUserName],
                [text('ClientIpAddress'), data.clientIpAddress],
                [text('ClientId'), data.clientName ?? data.clientId],
                [text('BrowserInfo'), data.browserInfo && browserText(data.browserInfo)],
                [text('ApplicationName'), data.applicationName],
                [text('CorrelationId'), data.correlationId],
                [text('Comments'), data.comments],
              ]}
            />
            {data.exceptions && (
              <>
                <Title order={2} my="sm">
                  {t(text('Exceptions'))}
                </Title>
                <pre className="keel-code">{prettyJson(data.exceptions)}</pre>
              </>
            )}
          </Tabs.Panel>
          <Tabs.Panel value="actions">
            <Stack>
              {data.actions.length === 0 && <EmptyState icon="list" title={t('NoActions')} />}
              {data.actions.map((action) => (
                <div key={action.id}>
                  <Text size="sm" fw={550}>
                    {action.serviceName?.split('.').at(-1)}.{action.methodName}{' '}
                    <Text span size="sm" c="dimmed">
                      {formatNumber(action.executionDuration)} ms
                    </Text>
                  </Text>
                  {action.parameters && <pre className="keel-code">{prettyJson(action.parameters)}</pre>}
                </div>
              ))}
            </Stack>
          </Tabs.Panel>
          <Tabs.Panel value="changes">
            <Stack>
              {data.entityChanges.length === 0 && <EmptyState icon="edit" title={t('NoChanges')} />}
              {data.entityChanges.map((change) => (
                <ChangeCard key={change.id} change={change} />
              ))}
            </Stack>
          </Tabs.Panel>
        </Tabs>
      )}
    </Drawer>
  )
}
