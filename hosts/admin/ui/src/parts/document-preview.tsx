import { Button, Group, Loader, Stack } from '@mantine/core'
import { useTexts } from '../application.js'
import { Dialog } from './dialog.js'
import { saveFile } from './download.js'
import { useFileUrl } from './file-url.js'
import { type Document, documents } from './hub.js'
import { Icon } from './icons.js'
import { useAct } from './notices.js'
import { ErrorAlert } from './states.js'

/** Shows an image or a PDF as a whole. */
export function DocumentPreview({
  document,
  onClose,
}: {
  readonly document: Document
  readonly onClose: () => void
}) {
  const t = useTexts()
  const act = useAct()
  const { id, contentType, fileName } = document
  const { url, error } = useFileUrl(id, contentType, documents.getContent)
  return (
    <Dialog title={fileName} size="xl" onClose={onClose}>
      <Stack>
        {error !== undefined && <ErrorAlert error={error} />}
        {!url && error === undefined && <Loader aria-label={t('AbpUi::Loading')} />}
        {url && contentType === 'application/pdf' && (
          <iframe title={fileName} src={url} className="keel-preview" />
        )}
        {url && contentType !== 'application/pdf' && (
          <img alt={document.title ?? fileName} src={url} style={{ maxWidth: '100%', alignSelf: 'center' }} />
        )}
        <Group justify="flex-end">
          <Button
            variant="default"
            leftSection={<Icon name="download" />}
            onClick={() => act(documents.getContent(id).then(saveFile), t('Exported'))}
          >
            {t('Ops:Download')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
