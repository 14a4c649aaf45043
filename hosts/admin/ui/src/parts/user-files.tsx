import {
  IdentityUserFileAppService,
  IdentityUserPermissions,
  ImportUsersFromFileType,
} from '@keel/platform-proxy'
import { useMutation } from '@keel/react'
import { Alert, Button, FileButton, Group, Menu, Modal, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useApplication } from '../application.js'
import { openProxy, platform } from '../clients.js'
import { saveFile } from './download.js'
import { type Filter, fileInput } from './filters.js'
import { Icon } from './icons.js'
import { useAct } from './notices.js'
import { ErrorAlert } from './states.js'
import { useUrlState } from './url-state.js'

const { userFiles } = openProxy({ userFiles: { service: IdentityUserFileAppService } })
type Result = Awaited<ReturnType<typeof userFiles.importUsersFromFile>>

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

function ImportDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useApplication()
  const act = useAct()
  const { run, isRunning } = useMutation(platform.identity.users.getList)
  const [result, setResult] = useState<Result>()
  const [error, setError] = useState<unknown>()
  const { Excel, Csv } = ImportUsersFromFileType
  const send = async (file: File | null) => {
    if (!file) return
    setError(undefined)
    setResult(undefined)
    try {
      const type = /\.csv$/i.test(file.name) ? Csv : Excel
      setResult(await run(userFiles.importUsersFromFile, type, { file }))
    } catch (refusal) {
      setError(refusal)
    }
  }
  const sample = (type: ImportUsersFromFileType) =>
    act(userFiles.getImportUsersSampleFile(type, undefined).then(saveFile), t('Exported'))
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('ImportUsers')}
      centered
      closeButtonProps={{ 'aria-label': t('AbpUi::Close') }}
    >
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
        {result && (
          <Alert color={result.isAllSucceeded ? 'teal' : 'orange'} variant="light" role="status">
            <Stack gap="xs" align="flex-start">
              {t('ImportedUsers', { succeeded: result.succeededCount, all: result.allCount })}
              {result.invalidUsersDownloadToken && (
                <Button
                  size="xs"
                  variant="default"
                  onClick={() =>
                    act(
                      userFiles.getImportInvalidUsersFile(result.invalidUsersDownloadToken).then(saveFile),
                      t('Exported'),
                    )
                  }
                >
                  {t('RefusedRows', { count: result.failedCount })}
                </Button>
              )}
            </Stack>
          </Alert>
        )}
        <FileButton
          accept=".csv,.xlsx,text/csv,application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
          onChange={(file) => void send(file)}
        >
          {(props) => (
            <Button {...props} loading={isRunning} leftSection={<Icon name="upload" />}>
              {t('ChooseFile')}
            </Button>
          )}
        </FileButton>
      </Stack>
    </Modal>
  )
}
