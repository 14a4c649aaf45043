import {
  ExportDelivery,
  ExportFormat,
  ExportFrequency,
  ExportRunAppService,
  type ExportRunDto,
  ExportRunStatus,
  ExportScheduleAppService,
  type ExportScheduleDto,
  ExportSchedulePermissions,
  ExportScheduleStatus,
} from '@keel/default-proxy'
import { serviceKeyOf, useMutation, useQuery } from '@keel/react'
import { Badge, Stack, Text, Title } from '@mantine/core'
import { type Translate, useApplication } from '../application.js'
import { openProxy } from '../clients.js'
import { useQuestion } from '../parts/confirm.js'
import type { Column, RowAction } from '../parts/data-list.js'
import { saveFile } from '../parts/download.js'
import { Drawer } from '../parts/drawer.js'
import { EditDialog, type Editing } from '../parts/edit-dialog.js'
import { enumOptions, type Field } from '../parts/fields.js'
import { ListPage } from '../parts/list-page.js'
import { useAct } from '../parts/notices.js'
import { SmallList } from '../parts/small-list.js'
import { ErrorAlert } from '../parts/states.js'
import { useUrlState } from '../parts/url-state.js'
import { useLiveQueries } from '../use-live.js'

const { exportSchedules, exportRuns } = openProxy({
  exportSchedules: { service: ExportScheduleAppService },
  exportRuns: { service: ExportRunAppService },
})
type Schedule = InstanceType<typeof ExportScheduleDto>
type Run = InstanceType<typeof ExportRunDto>

const own = (name: string) => `Core::DisplayName:ExportSchedule:${name}`
const ofRun = (name: string) => `Core::DisplayName:ExportRun:${name}`
const { Active, Paused, Faulted } = ExportScheduleStatus
const { Weekly, Monthly } = ExportFrequency
const scheduleColours = ['teal', 'gray', 'red', 'gray'] as const
const runColours = ['gray', 'indigo', 'teal', 'red', 'orange'] as const

/** The lists that people export most, by their entity sets, with the keys of their names. */
const entitySets: Readonly<Record<string, string>> = {
  Shipments: 'Ops:Shipments',
  Orders: 'Ops:Orders',
  Consols: 'Ops:Consols',
  Containers: 'Hub::DisplayName:Shipment:Containers',
  Documents: 'Hub::DisplayName:Documents',
  TrackingEvents: 'Hub::DisplayName:Shipment:TrackingEvents',
  ShipmentExceptions: 'Hub::DisplayName:Shipment:Exceptions',
  Organizations: 'Organizations',
  Ports: 'Ops:Ports',
  Quotes: 'Pricing:Quotes',
  ShipmentCharges: 'Ops:Charges',
  RateCards: 'Pricing:RateCards',
  ExchangeRates: 'Pricing:ExchangeRates',
}
const nameOfSet = (set: string, t: Translate): string => (entitySets[set] ? t(entitySets[set]) : set)

/** Lists that are exported as files again and again, and what became of each run. */
export function Page() {
  const { t, may, formatInstant, host } = useApplication()
  const [url, setUrl] = useUrlState()
  const editing = useEditing()
  const { run } = useMutation(exportRuns.getList)
  const act = useAct()
  const userId = host.currentUser.id
  const mayEdit = may(ExportSchedulePermissions.Edit)
  const columns: Column<Schedule>[] = [
    { id: 'name', title: own('Name'), sort: 'name', isEssential: true, cell: ({ name }) => name },
    {
      id: 'set',
      title: own('EntitySet'),
      sort: 'entitySet',
      cell: ({ entitySet }) => nameOfSet(entitySet, t),
    },
    {
      id: 'frequency',
      title: own('Frequency'),
      cell: ({ frequency, timeOfDay, timeZone }) =>
        `${t(`Core::Enum:ExportFrequency.${ExportFrequency[frequency]}`)}, ${timeOfDay} (${timeZone})`,
    },
    {
      id: 'delivery',
      title: own('Delivery'),
      cell: ({ delivery }) => t(`Core::Enum:ExportDelivery.${delivery}`),
    },
    {
      id: 'status',
      title: own('Status'),
      isEssential: true,
      cell: ({ status }) => (
        <Badge variant="light" color={scheduleColours[status]}>
          {t(`Core::Enum:ExportScheduleStatus.${status}`)}
        </Badge>
      ),
    },
    {
      id: 'next',
      title: own('NextRunTime'),
      sort: 'nextRunTime',
      cell: ({ nextRunTime }) => formatInstant(nextRunTime),
    },
    {
      id: 'last',
      title: own('LastRunStatus'),
      cell: ({ lastRunStatus, lastRunTime }) =>
        lastRunStatus === null ? (
          ''
        ) : (
          <>
            <RunState status={lastRunStatus} /> {formatInstant(lastRunTime)}
          </>
        ),
    },
  ]
  const isOwn = (schedule: Schedule) => schedule.userId === userId
  const actions: RowAction<Schedule>[] = [
    { title: 'ExportRuns', icon: 'history', run: ({ id }) => setUrl({ runs: id }, true) },
    {
      title: 'RunNow',
      icon: 'play',
      isShown: (schedule) => mayEdit && isOwn(schedule),
      run: ({ id }) => act(run(exportSchedules.runNow, id), t('RunStarted')),
    },
    {
      title: 'PauseSchedule',
      icon: 'clock',
      isShown: ({ status }) => mayEdit && status === Active,
      run: ({ id }) => act(run(exportSchedules.pause, id), t('AbpUi::SavedSuccessfully')),
    },
    {
      title: 'ResumeSchedule',
      icon: 'play',
      isShown: (schedule) => mayEdit && isOwn(schedule) && [Paused, Faulted].includes(schedule.status),
      run: ({ id }) => act(run(exportSchedules.resume, id), t('AbpUi::SavedSuccessfully')),
    },
  ]
  return (
    <ListPage
      title="ExportSchedules"
      hint="ExportSchedulesHint"
      icon="clock"
      emptyHint="NoExportSchedulesHint"
      list={exportSchedules.getList}
      columns={columns}
      actions={actions}
      filters={[
        {
          name: 'status',
          title: own('Status'),
          kind: 'choice',
          options: enumOptions(t, 'Core::Enum:ExportScheduleStatus', ExportScheduleStatus),
        },
      ]}
      work={{
        newTitle: may(ExportSchedulePermissions.Create) && 'NewExportSchedule',
        mayEdit,
        isEditable: isOwn,
        dialog: (id, onClose) => (
          <EditDialog
            id={id}
            title={t(id ? 'Core::Entity:ExportSchedule' : 'NewExportSchedule')}
            editing={editing}
            mayChange={may(id ? ExportSchedulePermissions.Edit : ExportSchedulePermissions.Create)}
            onClose={onClose}
          />
        ),
      }}
      removal={
        may(ExportSchedulePermissions.Delete) && {
          call: exportSchedules.delete,
          warn: ({ name }) => t('DeleteExportScheduleHint', { name }),
        }
      }
    >
      {url['runs'] && <Runs id={url['runs']} onClose={() => setUrl({ runs: undefined })} />}
    </ListPage>
  )
}

function RunState({ status }: { readonly status: ExportRunStatus }) {
  const { t } = useApplication()
  return (
    <Badge variant="light" color={runColours[status]}>
      {t(`Core::Enum:ExportRunStatus.${status}`)}
    </Badge>
  )
}

/** The next runs of a schedule, and those that were. */
function Runs({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { t, host, formatInstant, formatNumber } = useApplication()
  const act = useAct()
  const { run } = useMutation()
  const { ask, question } = useQuestion()
  const preview = useQuery(exportSchedules.getPreview, id, {})
  useLiveQueries(serviceKeyOf(exportRuns.getList), 'job', 'notification')
  const columns: Column<Run>[] = [
    {
      id: 'planned',
      title: ofRun('ScheduledTime'),
      isEssential: true,
      cell: ({ scheduledTime }) => formatInstant(scheduledTime),
    },
    {
      id: 'status',
      title: ofRun('Status'),
      isEssential: true,
      cell: ({ status, error }) => (
        <>
          <RunState status={status} />{' '}
          {error && (
            <Text span size="sm">
              {t(`Core::${error}`)}
            </Text>
          )}
        </>
      ),
    },
    {
      id: 'rows',
      title: ofRun('RowCount'),
      isFigure: true,
      cell: ({ rowCount }) => (rowCount === null ? '' : formatNumber(rowCount)),
    },
    {
      id: 'delivery',
      title: ofRun('DeliveryStatus'),
      cell: ({ deliveryStatus }) => t(`Core::Enum:ExportDeliveryStatus.${deliveryStatus}`),
    },
  ]
  const actions: RowAction<Run>[] = [
    {
      title: 'Ops:Download',
      icon: 'download',
      isShown: ({ fileName, userId, status }) =>
        fileName !== null && userId === host.currentUser.id && status === ExportRunStatus.Succeeded,
      run: (one) => act(exportRuns.getFile(one.id).then(saveFile), t('Exported')),
    },
    {
      title: 'CancelRun',
      icon: 'close',
      isDangerous: true,
      isShown: ({ status }) => status <= ExportRunStatus.Running,
      run: ({ id: runId, scheduledTime }) =>
        ask({
          action: t('CancelRun'),
          words: t('CancelRunHint', { time: formatInstant(scheduledTime) }),
          run: () => run(exportRuns.cancel, runId),
          done: t('AbpUi::SavedSuccessfully'),
        }),
    },
  ]
  return (
    <Drawer onClose={onClose} size="xl" title={t('ExportRuns')}>
      <Stack gap="lg">
        <section>
          <Title order={2} mb="xs">
            {t('NextRuns')}
          </Title>
          {preview.error && <ErrorAlert error={preview.error} />}
          {preview.data?.runTimes.map((time) => (
            <Text key={time.toISOString()} size="sm">
              {formatInstant(time)}
            </Text>
          ))}
          {preview.data?.runTimes.length === 0 && (
            <Text size="sm" c="dimmed">
              {t('NoNextRuns')}
            </Text>
          )}
        </section>
        <SmallList
          title="ExportRuns"
          emptyHint="NoExportRunsHint"
          list={exportRuns.getList}
          input={{ exportScheduleId: id }}
          columns={columns}
          actions={actions}
        />
      </Stack>
      {question}
    </Drawer>
  )
}

function valuesOf(schedule?: Schedule) {
  return {
    name: schedule?.name ?? '',
    entitySet: schedule?.entitySet ?? 'Shipments',
    query: schedule?.query ?? '',
    format: schedule?.format ?? ExportFormat.Xlsx,
    csvDelimiter: schedule?.csvDelimiter ?? ',',
    frequency: schedule?.frequency ?? 'Daily',
    timeOfDay: schedule?.timeOfDay ?? '07:00',
    timeZone: schedule?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    dayOfWeek: schedule?.dayOfWeek ?? 1,
    dayOfMonth: schedule?.dayOfMonth ?? 1,
    endDate: schedule?.endDate ?? '',
    delivery: schedule?.delivery ?? ExportDelivery.Download,
    emailRecipients: schedule?.emailRecipients ?? [],
    webhookUrl: schedule?.webhookUrl ?? '',
    webhookSecret: '',
    skipEmpty: schedule?.skipEmpty ?? false,
    maxRows: schedule?.maxRows ?? 100_000,
    culture: schedule?.culture ?? 'en',
    concurrencyStamp: schedule?.concurrencyStamp ?? '',
  }
}
type Values = ReturnType<typeof valuesOf>

function useEditing(): Editing<Schedule, Values> {
  const { t, host, language } = useApplication()
  const weekday = new Intl.DateTimeFormat(language, { weekday: 'long', timeZone: 'UTC' })
  const asOptions = (texts: readonly string[]) => texts.map((value) => ({ value, label: value }))
  const fields: Field<Values>[] = [
    { name: 'name', title: own('Name'), isRequired: true },
    {
      name: 'entitySet',
      title: own('EntitySet'),
      kind: 'choice',
      options: Object.keys(entitySets).map((value) => ({ value, label: nameOfSet(value, t) })),
      isRequired: true,
    },
    { name: 'query', title: own('Query'), kind: 'area', hint: 'ExportQueryHint' },
    {
      name: 'frequency',
      title: own('Frequency'),
      kind: 'choice',
      isRequired: true,
      options: [ExportFrequency.Daily, Weekly, Monthly].map((one) => ({
        value: ExportFrequency[one],
        label: t(`Core::Enum:ExportFrequency.${one}`),
      })),
    },
    { name: 'timeOfDay', title: own('TimeOfDay'), kind: 'time', isRequired: true },
    {
      name: 'dayOfWeek',
      title: own('DayOfWeek'),
      kind: 'enum',
      isShown: ({ frequency }) => frequency === 'Weekly',
      // The first of January 2024 was a Monday.
      options: [1, 2, 3, 4, 5, 6, 7].map((day) => ({
        value: String(day),
        label: weekday.format(new Date(Date.UTC(2024, 0, day))),
      })),
    },
    {
      name: 'dayOfMonth',
      title: own('DayOfMonth'),
      kind: 'number',
      isShown: ({ frequency }) => frequency === 'Monthly',
    },
    {
      name: 'timeZone',
      title: own('TimeZone'),
      kind: 'choice',
      options: asOptions(['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')]),
      isRequired: true,
    },
    { name: 'endDate', title: own('EndDate'), kind: 'date' },
    {
      name: 'format',
      title: own('Format'),
      kind: 'enum',
      isRequired: true,
      options: enumOptions(t, 'Core::Enum:ExportFormat', ExportFormat),
    },
    {
      name: 'csvDelimiter',
      title: own('CsvDelimiter'),
      kind: 'choice',
      options: asOptions([',', ';', '|']),
      isShown: ({ format }) => format === ExportFormat.Csv,
    },
    {
      name: 'delivery',
      title: own('Delivery'),
      kind: 'enum',
      isRequired: true,
      options: enumOptions(t, 'Core::Enum:ExportDelivery', ExportDelivery),
    },
    {
      name: 'emailRecipients',
      title: own('EmailRecipients'),
      kind: 'tags',
      hint: 'ExportRecipientsHint',
      isShown: ({ delivery }) => delivery === ExportDelivery.Email,
    },
    {
      name: 'webhookUrl',
      title: own('WebhookUrl'),
      kind: 'url',
      isShown: ({ delivery }) => delivery === ExportDelivery.Webhook,
    },
    {
      name: 'webhookSecret',
      title: 'WebhookSecret',
      kind: 'password',
      hint: 'WebhookSecretHint',
      isShown: ({ delivery }) => delivery === ExportDelivery.Webhook,
    },
    { name: 'maxRows', title: own('MaxRows'), kind: 'number' },
    {
      name: 'culture',
      title: own('Culture'),
      kind: 'choice',
      options: host.localization.languages.map(({ cultureName, displayName }) => ({
        value: cultureName,
        label: displayName,
      })),
    },
    { name: 'skipEmpty', title: own('SkipEmpty'), kind: 'switch' },
  ]
  return {
    draft: 'export-schedule',
    get: exportSchedules.get,
    create: exportSchedules.create as never,
    update: exportSchedules.update as never,
    valuesOf,
    fields,
    fieldOfCode: {
      NameAlreadyExists: 'name',
      QueryInvalid: 'query',
      EntitySetUnknown: 'entitySet',
      InvalidTimeZone: 'timeZone',
    },
    // What belongs to another frequency or delivery is not sent.
    toInput: ({ webhookSecret, ...values }) => ({
      ...values,
      dayOfWeek: values.frequency === 'Weekly' ? values.dayOfWeek : null,
      dayOfMonth: values.frequency === 'Monthly' ? values.dayOfMonth : null,
      emailRecipients:
        values.delivery === ExportDelivery.Email && values.emailRecipients.length
          ? values.emailRecipients
          : null,
      webhookUrl: values.delivery === ExportDelivery.Webhook ? values.webhookUrl : null,
      ...(webhookSecret && { webhookSecret }),
    }),
  }
}
