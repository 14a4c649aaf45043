import {
  IdentityUserFileAppService,
  IdentityUserPermissions,
  ImportUsersFromFileType,
} from '@keel/platform-proxy'
import { useMutation } from '@keel/react'
import { Alert, Button, FileButton, Group, Menu, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useApplication } from '../application.js'
import { openProxy, platform } from '../clients.js'
import { BulkProgress, useBulk } from './bulk.js'
import { Dialog } from './dialog.js'
import { saveFile } from './download.js'
import { type Filter, fileInput } from './filters.js'
import { Icon } from './icons.js'
import { useAct } from './notices.js'
import { ErrorAlert } from './states.js'
import { useUrlState } from './url-state.js'

const { userFiles } = openProxy({ userFiles: { service: IdentityUserFileAppService } })
/** How many rows of a file are imported by one request. */
const portion = 25

/** The users of the list as a file, and users to be from a file. */
export function UserFiles({ filters }: { readonly filters: readonly Filter[] }) {
  const { t, may, host } = useApplication()
  const [url] = useUrlState()
  const [isImporting, setImporting] = useState(false)
  const act = useAct()
  const input = fileInput(filters, url)
  const mayImport = may(IdentityUserPermissions.Import) && may(IdentityUserPermissions.Create)
  const mayExport = may(IdentityUserPermissions.Export) && host.features.values['App.Exports'] !== 'false'
  if (!mayImport && !mayExport) return null
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" leftSection={<Icon name="download" />}>
            {t('Files')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {mayExport && (
            <>
              <Menu.Item
                leftSection={<Icon name="download" />}
                onClick={() => act(userFiles.getListAsExcelFile(input).then(saveFile), t('Exported'))}
              >
                {t('ExportExcel')}
              </Menu.Item>
              <Menu.Item
                leftSection={<Icon name="download" />}
                onClick={() => act(userFiles.getListAsCsvFile(input).then(saveFile), t('Exported'))}
              >
                {t('ExportCsv')}
              </Menu.Item>
            </>
          )}
          {mayImport && (
            <Menu.Item leftSection={<Icon name="upload" />} onClick={() => setImporting(true)}>
              {t('ImportUsers')}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {isImporting && <ImportDialog onClose={() => setImporting(false)} />}
    </>
  )
}

/** What became of the rows of a file so far. */
interface Imported {
  readonly all: number
  readonly done: number
  readonly succeeded: number
  /** Opens the file of the refused rows; empty when there are none. */
  readonly refusedToken: string
}

/** Makes a user of each row of a file, some rows at a time: the password of each takes a moment. */
function ImportDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useApplication()
  const act = useAct()
  const bulk = useBulk()
  const { run } = useMutation(platform.identity.users.getList)
  const [result, setResult] = useState<Imported>()
  const [error, setError] = useState<unknown>()
  const { Excel, Csv } = ImportUsersFromFileType
  const send = async (chosen: File | null) => {
    if (!chosen) return
    setError(undefined)
    setResult(undefined)
    const type = /\.csv$/i.test(chosen.name) ? Csv : Excel
    try {
      await bulk.run(async (report, signal) => {
        // Read once: a file that is saved again meanwhile would have other rows at the same places.
        const file = new File([await chosen.arrayBuffer()], chosen.name, { type: chosen.type })
        let so: Imported = { all: 0, done: 0, succeeded: 0, refusedToken: '' }
        do {
          const answer = await run(userFiles.importUsersFromFile, type, {
            file,
            skipCount: so.done,
            maxResultCount: portion,
            invalidUsersDownloadToken: so.refusedToken,
          })
          so = {
            all: answer.allCount,
            done: Math.min(so.done + portion, answer.allCount),
            succeeded: so.succeeded + answer.succeededCount,
            refusedToken: answer.invalidUsersDownloadToken,
          }
          setResult(so)
          report(so.done, so.all)
        } while (so.done < so.all && !signal.aborted)
      })
    } catch (refusal) {
      setError(refusal)
    }
  }
  const sample = (type: ImportUsersFromFileType) =>
    act(userFiles.getImportUsersSampleFile(type, undefined).then(saveFile), t('Exported'))
  const isRunning = bulk.reached !== undefined
  return (
    <Dialog title={t('ImportUsers')} isHeld={isRunning} onClose={onClose}>
      <Stack>
        <Text size="sm">{t('ImportUsersHint')}</Text>
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={() => sample(Excel)}>
            {t('SampleExcel')}
          </Button>
          <Button size="xs" variant="default" onClick={() => sample(Csv)}>
            {t('SampleCsv')}
          </Button>
        </Group>
        {error !== undefined && <ErrorAlert error={error} />}
        {result && !isRunning && <ImportResult result={result} />}
        {isRunning ? (
          <BulkProgress bulk={bulk} title={t('ImportUsers')} />
        ) : (
          <FileButton
            accept=".csv,.xlsx,text/csv,application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
            onChange={(file) => void send(file)}
          >
            {(props) => (
              <Button {...props} leftSection={<Icon name="upload" />}>
                {t('ChooseFile')}
              </Button>
            )}
          </FileButton>
        )}
      </Stack>
    </Dialog>
  )
}

function ImportResult({ result: { all, done, succeeded, refusedToken } }: { readonly result: Imported }) {
  const { t, formatNumber } = useApplication()
  const act = useAct()
  return (
    <Alert color={succeeded === all ? 'teal' : 'orange'} variant="light" role="status">
      <Stack gap="xs" align="flex-start">
        {t('ImportedUsers', { succeeded: formatNumber(succeeded), all: formatNumber(all) })}
        {done < all && <Text size="sm">{t('ImportStopped', { count: formatNumber(all - done) })}</Text>}
        {refusedToken && (
          <Button
            size="xs"
            variant="default"
            onClick={() =>
              act(userFiles.getImportInvalidUsersFile(refusedToken).then(saveFile), t('Exported'))
            }
          >
            {t('RefusedRows', { count: formatNumber(done - succeeded) })}
          </Button>
        )}
      </Stack>
    </Alert>
  )
}
