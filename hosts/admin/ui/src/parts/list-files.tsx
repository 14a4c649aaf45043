import type { Call } from '@keel/react'
import { Button, Menu } from '@mantine/core'
import { useApplication } from '../application.js'
import { type ReceivedFile, saveFile } from './download.js'
import { type Filter, fileInput } from './filters.js'
import { Icon } from './icons.js'
import { useAct } from './notices.js'
import { useUrlState } from './url-state.js'

/** The list of a page as a file, with all rows that its filters in the address leave; nothing while exports are switched off. */
export function ListFiles({
  excel,
  csv,
  filters = [],
}: {
  // biome-ignore lint/suspicious/noExplicitAny: inputs differ beside the members that are sent here
  readonly excel: Call<[input: any], ReceivedFile>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly csv: Call<[input: any], ReceivedFile>
  readonly filters?: readonly Filter[]
}) {
  const { t, host } = useApplication()
  const [url] = useUrlState()
  const act = useAct()
  if (host.features.values['App.Exports'] === 'false') return null
  const input = fileInput(filters, url)
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<Icon name="download" />}>
          {t('Export')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => act(excel(input).then(saveFile), t('Exported'))}>
          {t('ExportExcel')}
        </Menu.Item>
        <Menu.Item onClick={() => act(csv(input).then(saveFile), t('Exported'))}>{t('ExportCsv')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
