import { browserText, type IdentitySecurityLogDto, SecurityActions } from '@keel/platform-proxy'
import { useState } from 'react'
import { useApplication } from '../application.js'
import { platform } from '../clients.js'
import type { Column } from '../parts/data-list.js'
import { Drawer } from '../parts/drawer.js'
import { Facts } from '../parts/facts.js'
import type { Filter } from '../parts/filters.js'
import { ListPage } from '../parts/list-page.js'

type Entry = InstanceType<typeof IdentitySecurityLogDto>
const common = (key: string) => `AbpUi::DisplayName:${key}`

/** What happened to accounts: sign-ins, refusals, changed passwords. */
export function Page() {
  const { t, formatInstant } = useApplication()
  const [shown, show] = useState<Entry>()
  const words = (action: string | null) => (action ? t(`AbpOpenIddict::SecurityLog:${action}`) : '')
  const filters: readonly Filter[] = [
    { name: 'userName', title: common('UserName'), kind: 'text' },
    {
      name: 'action',
      title: 'AbpIdentity::DisplayName:Action',
      kind: 'choice',
      options: Object.values(SecurityActions)
        .map((value) => ({ value, label: words(value) }))
        .sort((a, b) => a.label.localeCompare(b.label)),
    },
    { name: 'startTime', title: 'AbpAuditLogging::StartTime', kind: 'instant', isExtra: true },
    { name: 'endTime', title: 'AbpAuditLogging::EndTime', kind: 'instant', isExtra: true },
    { name: 'applicationName', title: common('ApplicationName'), kind: 'text', isExtra: true },
    { name: 'identity', title: 'AbpIdentity::DisplayName:Identity', kind: 'text', isExtra: true },
    { name: 'clientId', title: common('ClientId'), kind: 'text', isExtra: true },
    { name: 'clientIpAddress', title: common('ClientIpAddress'), kind: 'text', isExtra: true },
    { name: 'correlationId', title: common('CorrelationId'), kind: 'text', isExtra: true },
  ]
  const columns: Column<Entry>[] = [
    {
      id: 'time',
      title: 'AbpAuditLogging::Time',
      sort: 'creationTime',
      isEssential: true,
      cell: ({ creationTime }) => formatInstant(creationTime),
    },
    {
      id: 'action',
      title: 'AbpIdentity::DisplayName:Action',
      sort: 'action',
      isEssential: true,
      cell: ({ action }) => words(action),
    },
    {
      id: 'user',
      title: common('UserName'),
      sort: 'userName',
      isEssential: true,
      cell: ({ userName }) => userName ?? '–',
    },
    { id: 'address', title: common('ClientIpAddress'), cell: ({ clientIpAddress }) => clientIpAddress },
    { id: 'client', title: common('ClientId'), cell: ({ clientId }) => clientId },
    {
      id: 'host',
      title: common('ApplicationName'),
      isExtra: true,
      cell: ({ applicationName }) => applicationName,
    },
    {
      id: 'browser',
      title: common('BrowserInfo'),
      cell: ({ browserInfo }) => browserInfo && <span title={browserInfo}>{browserText(browserInfo)}</span>,
    },
  ]
  return (
    <ListPage
      title="AbpIdentity::SecurityLogs"
      hint="SecurityLogsHint"
      icon="lock"
      emptyHint="NoSecurityLogsHint"
      views="SecurityLogs"
      list={platform.identity.securityLogs.getList}
      columns={columns}
      filters={filters}
      isSearchable={false}
      onOpen={show}
    >
      {shown && (
        <Drawer onClose={() => show(undefined)} title={words(shown.action)}>
          <Facts
            facts={[
              ['AbpAuditLogging::Time', formatInstant(shown.creationTime)],
              [common('UserName'), shown.userName],
              ['AbpIdentity::DisplayName:Identity', shown.identity],
              [common('ClientIpAddress'), shown.clientIpAddress],
              [common('ClientId'), shown.clientId],
              [common('ApplicationName'), shown.applicationName],
              [common('BrowserInfo'), shown.browserInfo],
              [common('CorrelationId'), shown.correlationId],
              ...Object.entries(shown.extraProperties).map(([name, value]) => [name, String(value)] as const),
            ]}
          />
        </Drawer>
      )}
    </ListPage>
  )
}
