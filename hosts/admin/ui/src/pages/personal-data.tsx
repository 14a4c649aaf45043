import '@mantine/core/styles/Table.css'
import {
  PersonalDataPermissions,
  type PersonalDataRequestDto,
  PersonalDataRequestKind,
  PersonalDataRequestStatus,
} from '@keel/default-proxy'
import { RetentionSettingsAppService, SettingManagementPermissions } from '@keel/platform-proxy'
import { serviceKeyOf, useMutation, useQuery } from '@keel/react'
import { Badge, Button, Skeleton, Stack, Table, Text } from '@mantine/core'
import { useApplication } from '../application.js'
import { openProxy, platform } from '../clients.js'
import type { Column, RowAction } from '../parts/data-list.js'
import { Dialog } from '../parts/dialog.js'
import { saveFile } from '../parts/download.js'
import { Drawer } from '../parts/drawer.js'
import { Facts } from '../parts/facts.js'
import { enumOptions, type Field, Fields } from '../parts/fields.js'
import { FormBody, useForm } from '../parts/form.js'
import { Icon } from '../parts/icons.js'
import { ListPage } from '../parts/list-page.js'
import { useAct, useTell } from '../parts/notices.js'
import { personalDataRequests } from '../parts/personal-data.js'
import { ErrorAlert } from '../parts/states.js'
import { useUrlState } from '../parts/url-state.js'
import { UserName } from '../parts/user-names.js'
import { UserSelect } from '../parts/user-select.js'
import { useLiveQueries } from '../use-live.js'

const { retention } = openProxy({ retention: { service: RetentionSettingsAppService } })

type Request = InstanceType<typeof PersonalDataRequestDto>

const own = (name: string) => `Core::DisplayName:PersonalDataRequest:${name}`
const { Export, Preview, Erasure } = PersonalDataRequestKind
const { Succeeded } = PersonalDataRequestStatus
const colours = ['gray', 'indigo', 'teal', 'red'] as const

/** Requests about the data of persons: exports, erasures, and what these would do. */
export function Page() {
  const { t, may, formatInstant, host } = useApplication()
  const [url, setUrl] = useUrlState()
  const act = useAct()
  // A notification tells when a request has ended.
  useLiveQueries(serviceKeyOf(personalDataRequests.getList), 'notification')
  const columns: Column<Request>[] = [
    {
      id: 'person',
      title: own('UserId'),
      isEssential: true,
      cell: ({ userId }) => <UserName id={userId} />,
    },
    {
      id: 'kind',
      title: own('Kind'),
      isEssential: true,
      cell: ({ kind }) => t(`Core::Enum:PersonalDataRequestKind.${kind}`),
    },
    {
      id: 'status',
      title: own('Status'),
      isEssential: true,
      cell: (request) => <State request={request} />,
    },
    { id: 'by', title: 'RequestedBy', cell: ({ creatorId }) => <UserName id={creatorId} /> },
    {
      id: 'time',
      title: 'AbpUi::DisplayName:CreationTime',
      cell: ({ creationTime }) => formatInstant(creationTime),
    },
    { id: 'end', title: own('EndTime'), cell: ({ endTime }) => formatInstant(endTime) },
    {
      id: 'expires',
      title: own('ExpirationTime'),
      isExtra: true,
      cell: ({ expirationTime }) => formatInstant(expirationTime),
    },
  ]
  const actions: RowAction<Request>[] = [
    {
      title: 'PersonalDataResult',
      icon: 'list',
      isShown: ({ result }) => Boolean(result),
      run: ({ id }) => setUrl({ result: id }, true),
    },
    {
      title: 'Ops:Download',
      icon: 'download',
      isShown: ({ kind, status, creatorId, fileSize }) =>
        kind === Export && status === Succeeded && fileSize !== null && creatorId === host.currentUser.id,
      run: ({ id }) => act(personalDataRequests.getFile(id).then(saveFile), t('Exported')),
    },
  ]
  return (
    <ListPage
      title="PersonalData"
      hint="PersonalDataHint"
      icon="person"
      emptyHint="PersonalDataEmptyHint"
      list={personalDataRequests.getList}
      columns={columns}
      actions={actions}
      onOpen={({ id }) => setUrl({ result: id }, true)}
      isSearchable={false}
      filters={[
        {
          name: 'kind',
          title: own('Kind'),
          kind: 'choice',
          options: enumOptions(t, 'Core::Enum:PersonalDataRequestKind', PersonalDataRequestKind),
        },
        {
          name: 'status',
          title: own('Status'),
          kind: 'choice',
          options: enumOptions(t, 'Core::Enum:PersonalDataRequestStatus', PersonalDataRequestStatus),
        },
      ]}
      commands={
        <>
          {may(SettingManagementPermissions.Retention) && (
            <Button
              variant="default"
              leftSection={<Icon name="gear" />}
              onClick={() => setUrl({ retention: 'open' }, true)}
            >
              {t('Retention')}
            </Button>
          )}
          {may(PersonalDataPermissions.Export) && (
            <Button onClick={() => setUrl({ begin: 'export' }, true)}>{t('ExportPerson')}</Button>
          )}
          {may(PersonalDataPermissions.Erase) && (
            <>
              <Button variant="default" onClick={() => setUrl({ begin: 'preview' }, true)}>
                {t('PreviewErasure')}
              </Button>
              <Button variant="light" color="red" onClick={() => setUrl({ begin: 'erase' }, true)}>
                {t('ErasePerson')}
              </Button>
            </>
          )}
        </>
      }
    >
      {url['begin'] === 'export' && <Begin kind={Export} onClose={() => setUrl({ begin: undefined })} />}
      {url['begin'] === 'preview' && <Begin kind={Preview} onClose={() => setUrl({ begin: undefined })} />}
      {url['begin'] === 'erase' && <Begin kind={Erasure} onClose={() => setUrl({ begin: undefined })} />}
      {url['retention'] && <Retention onClose={() => setUrl({ retention: undefined })} />}
      {url['result'] && <Result id={url['result']} onClose={() => setUrl({ result: undefined })} />}
    </ListPage>
  )
}

function State({ request: { status, error } }: { readonly request: Request }) {
  const { t } = useApplication()
  return (
    <>
      <Badge variant="light" color={colours[status]}>
        {t(`Core::Enum:PersonalDataRequestStatus.${status}`)}
      </Badge>{' '}
      {error && (
        <Text span size="sm">
          {t(`Core::${error}`)}
        </Text>
      )}
    </>
  )
}

const words = {
  [Export]: 'ExportPerson',
  [Preview]: 'PreviewErasure',
  [Erasure]: 'ErasePerson',
} as const

/** Chooses the person of a new request. An erasure is confirmed by typing the user name. */
function Begin({ kind, onClose }: { readonly kind: PersonalDataRequestKind; readonly onClose: () => void }) {
  const { t } = useApplication()
  const tell = useTell()
  const { run } = useMutation()
  const form = useForm({
    draft: `personal-data:${kind}`,
    initial: { userId: null as string | null, userName: '' },
    fieldOfCode: { NoSuchPerson: 'userId', WrongUserName: 'userName', UnderWay: 'userId' },
    async save({ userName, ...chosen }) {
      // Nobody: the server refuses it at the field.
      const userId = chosen.userId as string
      if (kind === Export) await run(personalDataRequests.exportPerson, { userId })
      else if (kind === Preview) await run(personalDataRequests.previewErasure, { userId })
      else await run(personalDataRequests.erasePerson, { userId, userName })
      tell(t('PersonalDataStarted'))
      onClose()
    },
  })
  const fields: readonly Field<typeof form.values>[] = [
    { name: 'userId', title: 'PersonalDataPerson', kind: 'pick', pick: UserSelect, isRequired: true },
    { name: 'userName', title: own('UserName'), isRequired: true, isShown: () => kind === Erasure },
  ]
  return (
    <Dialog title={t(words[kind])} onClose={onClose}>
      <FormBody form={form} onCancel={onClose} submitText={t(words[kind])} isDangerous={kind === Erasure}>
        <Text size="sm" c="dimmed">
          {t(`${words[kind]}Hint`)}
        </Text>
        <Fields form={form} fields={fields} />
      </FormBody>
    </Dialog>
  )
}

/** How long records are kept, by kind of data. */
function Retention({ onClose }: { readonly onClose: () => void }) {
  const { t } = useApplication()
  const stored = useQuery(retention.get)
  return (
    <Dialog title={t('Retention')} onClose={onClose}>
      {stored.error && <ErrorAlert error={stored.error} retry={() => void stored.refetch()} />}
      {stored.isPending && <Skeleton height={200} />}
      {stored.data && <RetentionForm kinds={stored.data.kinds} onClose={onClose} />}
    </Dialog>
  )
}

function RetentionForm({
  kinds,
  onClose,
}: {
  readonly kinds: readonly { readonly name: string; readonly days: number }[]
  readonly onClose: () => void
}) {
  const { t } = useApplication()
  const tell = useTell()
  const { run } = useMutation(platform.application.configuration.get)
  const initial: Record<string, number | null> = Object.fromEntries(
    kinds.map(({ name, days }) => [name, days]),
  )
  const form = useForm({
    draft: 'retention',
    initial,
    async save(values) {
      await run(retention.update, {
        kinds: kinds.map(({ name, days }) => ({ name, days: values[name] ?? days })),
      })
      tell(t('AbpUi::SavedSuccessfully'))
      onClose()
    },
  })
  const fields = kinds.map(
    ({ name }): Field<typeof initial> => ({
      name,
      title: `Core::PersonalData:${name}`,
      kind: 'number',
      isRequired: true,
    }),
  )
  return (
    <FormBody form={form} onCancel={onClose}>
      <Text size="sm" c="dimmed">
        {t('RetentionHint')}
      </Text>
      <Fields form={form} fields={fields} />
    </FormBody>
  )
}

/** A request, and what it found or did by kind of data: first the kinds that the person has something of. */
function Result({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { t, formatInstant } = useApplication()
  const { data, error, isPending, refetch } = useQuery(personalDataRequests.get, id)
  const isEmpty = ({ rows }: Kind) => rows === 0
  const kinds = data?.result ?? []
  return (
    <Drawer onClose={onClose} size="xl" title={t('PersonalDataResult')}>
      <Stack>
        {error && <ErrorAlert error={error} retry={() => void refetch()} />}
        {isPending && <Skeleton height={280} />}
        {data && (
          <Facts
            isWide
            facts={[
              [own('UserId'), <UserName key="user" id={data.userId} />],
              [own('Kind'), t(`Core::Enum:PersonalDataRequestKind.${data.kind}`)],
              [own('Status'), <State key="state" request={data} />],
              ['RequestedBy', <UserName key="by" id={data.creatorId} />],
              ['AbpUi::DisplayName:CreationTime', formatInstant(data.creationTime)],
              [own('EndTime'), formatInstant(data.endTime)],
              [own('ExpirationTime'), formatInstant(data.expirationTime)],
            ]}
          />
        )}
        {kinds.length > 0 && (
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('PersonalDataKind')}</Table.Th>
                <Table.Th ta="end">{t('PersonalDataRows')}</Table.Th>
                <Table.Th>{t('PersonalDataOutcome')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {[...kinds.filter((kind) => !isEmpty(kind)), ...kinds.filter(isEmpty)].map((kind) => (
                <KindRow key={kind.name} kind={kind} />
              ))}
            </Table.Tbody>
          </Table>
        )}
      </Stack>
    </Drawer>
  )
}

type Kind = NonNullable<Request['result']>[number]

function KindRow({ kind: { name, rows, outcome, reason } }: { readonly kind: Kind }) {
  const { t, formatNumber } = useApplication()
  return (
    <Table.Tr {...(rows === 0 && { c: 'dimmed' })}>
      <Table.Td>{t(`Core::PersonalData:${name}`)}</Table.Td>
      <Table.Td ta="end">{rows === null ? '–' : formatNumber(rows)}</Table.Td>
      <Table.Td>
        {t(`Core::PersonalDataOutcome:${outcome}`)}
        {reason && ` ${t(`Core::PersonalData:Kept:${reason}`)}`}
      </Table.Td>
    </Table.Tr>
  )
}
