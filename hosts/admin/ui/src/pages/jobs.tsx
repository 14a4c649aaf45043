import '@mantine/core/styles/Progress.css'
import {
  type BackgroundJobDto,
  BackgroundJobState,
  BackgroundWorkPermissions,
  backgroundWorkMembers,
} from '@keel/platform-proxy'
import { useMutation, useQuery } from '@keel/react'
import { Badge, Progress, Skeleton, Text, Title } from '@mantine/core'
import { Fragment } from 'react'
import { useApplication } from '../application.js'
import { openProxy } from '../clients.js'
import { useQuestion } from '../parts/confirm.js'
import type { Column, RowAction } from '../parts/data-list.js'
import { Drawer } from '../parts/drawer.js'
import { Facts } from '../parts/facts.js'
import { enumOptions } from '../parts/fields.js'
import { Figures } from '../parts/figures.js'
import { ListPage } from '../parts/list-page.js'
import { useAct } from '../parts/notices.js'
import { ErrorAlert } from '../parts/states.js'
import { useUrlState } from '../parts/url-state.js'
import { UserName } from '../parts/user-names.js'

type Job = InstanceType<typeof BackgroundJobDto>
const { jobs } = openProxy({ jobs: backgroundWorkMembers.jobs })
const text = (key: string) => `BackgroundWork::${key}`
const { Waiting, Running, Completed, Abandoned, Cancelled } = BackgroundJobState
const colours = {
  [Waiting]: 'gray',
  [Running]: 'indigo',
  [Completed]: 'teal',
  [Abandoned]: 'red',
  [Cancelled]: 'orange',
} as const

/** Jobs of all hosts, those that recur too: what waits, what runs, and what was given up. */
export function Page() {
  const { t, may, formatInstant } = useApplication()
  const [url, setUrl] = useUrlState()
  const counts = useQuery(jobs.getCounts)
  const { run } = useMutation()
  const act = useAct()
  const { ask, question } = useQuestion()
  const mayManage = may(BackgroundWorkPermissions.ManageJobs)
  const columns: Column<Job>[] = [
    {
      id: 'name',
      title: text('DisplayName:JobName'),
      sort: 'jobName',
      isEssential: true,
      cell: ({ jobName }) => <JobName name={jobName} />,
      text: ({ jobName }) => jobName,
    },
    { id: 'state', title: 'State', isEssential: true, cell: (job) => <State job={job} /> },
    { id: 'tries', title: text('DisplayName:TryCount'), sort: 'tryCount', cell: ({ tryCount }) => tryCount },
    {
      id: 'next',
      title: text('DisplayName:NextTryTime'),
      sort: 'nextTryTime',
      cell: ({ nextTryTime, state }) => (state === Waiting ? formatInstant(nextTryTime) : ''),
    },
    {
      id: 'ended',
      title: text('DisplayName:CompletionTime'),
      sort: 'completionTime',
      cell: ({ completionTime }) => formatInstant(completionTime),
    },
    { id: 'error', title: text('DisplayName:LastError'), cell: ({ lastError }) => lastError },
    {
      id: 'created',
      title: 'AbpUi::DisplayName:CreationTime',
      sort: 'creationTime',
      isExtra: true,
      cell: ({ creationTime }) => formatInstant(creationTime),
    },
    {
      id: 'user',
      title: 'AbpUi::DisplayName:UserName',
      isExtra: true,
      cell: ({ userId }) => <UserName id={userId} />,
    },
  ]
  const actions: RowAction<Job>[] = [
    {
      title: 'RunNow',
      icon: 'play',
      isShown: ({ state }) => mayManage && [Waiting, Abandoned, Cancelled].includes(state),
      run: ({ id }) => act(run(jobs.retry, id), t('JobRunsAgain')),
    },
    {
      title: 'CancelJob',
      icon: 'close',
      isDangerous: true,
      isShown: ({ state }) => mayManage && [Waiting, Running].includes(state),
      run: ({ id, jobName }) =>
        ask({
          action: t('CancelJob'),
          words: t('CancelJobHint', { name: jobName }),
          run: () => run(jobs.cancel, id),
          done: t('JobCancelled'),
        }),
    },
  ]
  return (
    <ListPage
      title={text('Menu:BackgroundJobs')}
      hint="JobsHint"
      icon="clock"
      emptyHint="NoJobsHint"
      views="BackgroundJobs"
      list={jobs.getList}
      columns={columns}
      actions={actions}
      isSearchable={false}
      filters={[
        { name: 'jobName', title: text('DisplayName:JobName'), kind: 'text' },
        {
          name: 'state',
          title: 'State',
          kind: 'enum',
          options: enumOptions(t, text('Enum:BackgroundJobState'), BackgroundJobState),
        },
      ]}
      above={
        <Figures
          error={counts.error}
          figures={[
            [text('Enum:BackgroundJobState.0'), counts.data?.waiting, { state: String(Waiting) }],
            [text('Enum:BackgroundJobState.1'), counts.data?.running, { state: String(Running) }],
            [text('Enum:BackgroundJobState.3'), counts.data?.abandoned, { state: String(Abandoned) }],
          ]}
        />
      }
      onOpen={({ id }) => setUrl({ job: id }, true)}
    >
      {question}
      {url['job'] && <JobDrawer id={url['job']} onClose={() => setUrl({ job: undefined })} />}
    </ListPage>
  )
}

/** The name of a job: a line breaks behind its points. */
function JobName({ name }: { readonly name: string }) {
  return name.split('.').map((part, at) => (
    <Fragment key={part}>
      {at > 0 && '.'}
      {at > 0 && <wbr />}
      {part}
    </Fragment>
  ))
}

function State({ job }: { readonly job: Job }) {
  const { t } = useApplication()
  return (
    <Badge variant="light" color={colours[job.state]}>
      {t(text(`Enum:BackgroundJobState.${job.state}`))}
    </Badge>
  )
}

function JobDrawer({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { t, formatInstant } = useApplication()
  const job = useQuery(jobs.get, id)
  const { data } = job
  return (
    <Drawer onClose={onClose} size="lg" title={data?.jobName ?? '…'}>
      {job.error && <ErrorAlert error={job.error} retry={() => void job.refetch()} />}
      {job.isPending && <Skeleton height={240} />}
      {data && (
        <>
          <State job={data} />
          {data.progress !== null && (
            <>
              <Progress value={data.progress} mt="sm" aria-label={t(text('DisplayName:Progress'))} />
              <Text size="sm" c="dimmed">
                {data.progress} % {data.progressText}
              </Text>
            </>
          )}
          <Facts
            facts={[
              ['Recurring', t(data.isRecurring ? 'AbpUi::Yes' : 'AbpUi::No')],
              [text('DisplayName:TryCount'), data.tryCount],
              [text('DisplayName:Priority'), data.priority],
              ['AbpUi::DisplayName:CreationTime', formatInstant(data.creationTime)],
              [text('DisplayName:NextTryTime'), data.state === Waiting && formatInstant(data.nextTryTime)],
              [text('DisplayName:LastTryTime'), formatInstant(data.lastTryTime)],
              [text('DisplayName:CompletionTime'), formatInstant(data.completionTime)],
              ['AbpUi::DisplayName:UserName', data.userId && <UserName key="user" id={data.userId} />],
              ['AbpUi::DisplayName:CorrelationId', data.correlationId],
            ]}
          />
          {data.lastError && (
            <>
              <Title order={2} my="sm">
                {t(text('DisplayName:LastError'))}
              </Title>
              <pre className="keel-code">{data.lastError}</pre>
            </>
          )}
        </>
      )}
    </Drawer>
  )
}
