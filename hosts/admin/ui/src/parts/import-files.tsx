import '@mantine/core/styles/Progress.css'
import { type ImportDto, ImportStatus } from '@keel/hub-proxy'
import { type Call, keyOf, serviceKeyOf, useMutation, useQuery } from '@keel/react'
import { Anchor, Button, FileInput, Group, Progress, Stack, Text, Title } from '@mantine/core'
import { useQueryClient, useQuery as useTanstackQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApplication } from '../application.js'
import { Dialog } from './dialog.js'
import { type ReceivedFile, saveFile } from './download.js'
import { FaultTable } from './fault-table.js'
import { Icon } from './icons.js'
import { useAct } from './notices.js'
import { ErrorAlert } from './states.js'

type Import = InstanceType<typeof ImportDto>

/** The operations of a service whose rows come from files. */
export interface Importing {
  // biome-ignore lint/suspicious/noExplicitAny: inputs differ beside the members that are sent here
  readonly import: Call<[input: any], Import>
  readonly getImport: Call<[id: string], Import>
  readonly getImports: Call<[input: { maxResultCount: number }], { readonly items: readonly Import[] }>
  readonly cancelImport: Call<[id: string], unknown>
  readonly getImportFaults: Call<[id: string], ReceivedFile>
  readonly getImportTemplate: Call<[input: { format: 'xlsx' | 'csv' }], ReceivedFile>
}

const pollMs = 800
const latestImports = 5
const isOver = ({ status }: Import) => status > ImportStatus.Running

/** The button and the dialog to write rows of a file into a list. */
export function ImportFiles({
  service,
  title,
  hint,
  accept = '.csv,.xlsx',
}: {
  readonly service: Importing
  /** The keys of what stands on the button and above the dialog, and of what the file is, where a page has several imports. */
  readonly title?: string
  readonly hint?: string
  /** The endings of the files that the service reads. */
  readonly accept?: string
}) {
  const { t } = useApplication()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button variant="default" leftSection={<Icon name="upload" />} onClick={() => setOpen(true)}>
        {t(title ?? 'Import')}
      </Button>
      {isOpen && (
        <ImportDialog
          service={service}
          title={title ?? 'Import:Title'}
          hint={hint ?? 'Import:Hint'}
          accept={accept}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}

/** A file is checked first, with every faulty cell named, and then written whole, by a job that can be watched and cancelled. */
function ImportDialog({
  service,
  title,
  hint,
  accept,
  onClose,
}: {
  readonly service: Importing
  readonly title: string
  readonly hint: string
  readonly accept: string
  readonly onClose: () => void
}) {
  const { t, formatNumber } = useApplication()
  const act = useAct()
  const { run, isRunning: isSending } = useMutation()
  const [file, setFile] = useState<File | null>(null)
  const [id, setId] = useState<string>()
  const [error, setError] = useState<unknown>()
  const shown = useImport(service, id)
  const isWorking = shown !== undefined && !isOver(shown)
  const choose = (next: File | null) => {
    setFile(next)
    setId(undefined)
    setError(undefined)
  }
  const send = async (dryRun: boolean) => {
    setError(undefined)
    try {
      setId((await run(service.import, { file, dryRun })).id)
    } catch (refusal) {
      setError(refusal)
    }
  }
  const isChecked = file !== null && shown?.isDryRun === true && shown.status === ImportStatus.Completed
  const template = (format: 'xlsx' | 'csv') =>
    act(service.getImportTemplate({ format }).then(saveFile), t('Exported'))
  return (
    <Dialog size="lg" title={t(title)} isHeld={isSending} onClose={onClose}>
      <Stack>
        <Text size="sm">{t(hint)}</Text>
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={() => template('xlsx')}>
            {t('SampleExcel')}
          </Button>
          <Button size="xs" variant="default" onClick={() => template('csv')}>
            {t('SampleCsv')}
          </Button>
        </Group>
        <FileInput
          label={t('ChooseFile')}
          accept={accept}
          clearable
          clearButtonProps={{ 'aria-label': t('Remove') }}
          value={file}
          onChange={choose}
          disabled={isWorking}
        />
        {error !== undefined && <ErrorAlert error={error} />}
        <div role="status">{shown && <Outcome service={service} told={shown} />}</div>
        <Group justify="flex-end">
          {isWorking && (
            <Button
              variant="default"
              color="red"
              onClick={() => act(run(service.cancelImport, shown.id), t('Import:CancelAsked'))}
            >
              {t('Import:Cancel')}
            </Button>
          )}
          <Button
            variant={isChecked ? 'default' : 'filled'}
            disabled={!file || isWorking}
            loading={isSending}
            onClick={() => void send(true)}
          >
            {t('Pricing:SheetCheck')}
          </Button>
          {isChecked && (
            <Button loading={isSending} onClick={() => void send(false)}>
              {t('Import:Write', { count: formatNumber(shown.rowCount) })}
            </Button>
          )}
        </Group>
        <Latest service={service} onChoose={setId} />
      </Stack>
    </Dialog>
  )
}

/** An import, asked for again until it is over. Then the list that it wrote to is out of date. */
function useImport(service: Importing, id: string | undefined): Import | undefined {
  const client = useQueryClient()
  const { data } = useTanstackQuery({
    queryKey: keyOf(service.getImport, id ?? ''),
    queryFn: async () => {
      const told = await service.getImport(id ?? '')
      if (isOver(told)) {
        const [remote, member] = serviceKeyOf(service.getImport)
        void client.invalidateQueries({
          predicate: ({ queryKey }) =>
            queryKey[0] === remote && queryKey[1] === member && queryKey[2] !== 'getImport',
        })
      }
      return told
    },
    enabled: id !== undefined,
    refetchInterval: ({ state }) => (state.data && isOver(state.data) ? false : pollMs),
  })
  return id === undefined ? undefined : data
}

/** How far an import is, or what became of it. */
function Outcome({ service, told }: { readonly service: Importing; readonly told: Import }) {
  const { t, formatNumber } = useApplication()
  const act = useAct()
  const counts = {
    inserted: formatNumber(told.insertedCount),
    updated: formatNumber(told.updatedCount),
    rows: formatNumber(told.rowCount),
  }
  if (!isOver(told))
    return (
      <Stack gap={6}>
        <Progress value={told.progress} aria-label={t('Import:Title')} />
        <Text size="sm">{t(`AbpUi::Enum:ImportStatus.${told.status}`)}</Text>
      </Stack>
    )
  return (
    <Stack gap="xs" align="flex-start">
      {told.status === ImportStatus.Completed ? (
        <Text size="sm">{t(told.isDryRun ? 'Import:WouldWrite' : 'Import:Written', counts)}</Text>
      ) : told.faultCount > 0 ? (
        <>
          <FaultTable
            faults={told.faults ?? []}
            count={told.faultCount}
            title={t('Pricing:SheetFaults', { count: formatNumber(told.faultCount) })}
          />
          <Button
            size="xs"
            variant="default"
            leftSection={<Icon name="download" size={16} />}
            onClick={() => act(service.getImportFaults(told.id).then(saveFile), t('Exported'))}
          >
            {t('Import:Faults')}
          </Button>
        </>
      ) : (
        <Text size="sm">{t(`AbpUi::Enum:ImportStatus.${told.status}`)}</Text>
      )}
      {told.ignoredColumns.length > 0 && (
        <Text size="sm" c="dimmed">
          {t('Import:Ignored', { names: told.ignoredColumns.join(', ') })}
        </Text>
      )}
    </Stack>
  )
}

/** The latest imports: what runs goes on when the dialog is closed. */
function Latest({
  service,
  onChoose,
}: {
  readonly service: Importing
  readonly onChoose: (id: string) => void
}) {
  const { t, formatInstant } = useApplication()
  const { data } = useQuery(service.getImports, { maxResultCount: latestImports })
  if (!data?.items.length) return null
  return (
    <Stack gap={4}>
      <Title order={3}>{t('Import:Latest')}</Title>
      {data.items.map((one) => (
        <Text key={one.id} size="sm">
          <Anchor component="button" type="button" size="sm" onClick={() => onChoose(one.id)}>
            {one.fileName}
          </Anchor>{' '}
          · {formatInstant(one.creationTime)} · {t(`AbpUi::Enum:ImportStatus.${one.status}`)}
          {one.isDryRun && ` · ${t('Import:DryRun')}`}
        </Text>
      ))}
    </Stack>
  )
}
