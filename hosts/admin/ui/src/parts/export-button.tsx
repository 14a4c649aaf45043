import { Button } from '@mantine/core'
import { useTexts } from '../application.js'
import { Icon } from './icons.js'
import { useAct } from './notices.js'

/** Gives the rows of a list, as it is filtered now, as an Excel file. */
export function ExportButton({ save }: { readonly save: () => Promise<unknown> }) {
  const t = useTexts()
  const act = useAct()
  return (
    <Button
      variant="default"
      leftSection={<Icon name="download" />}
      onClick={() => act(save(), t('Exported'))}
    >
      {t('ExportExcel')}
    </Button>
  )
}
