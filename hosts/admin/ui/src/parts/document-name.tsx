import { HoverCard, Loader, Text } from '@mantine/core'
import { useTexts } from '../application.js'
import { useFileUrl } from './file-url.js'
import { type Document, documents } from './hub.js'
import { ErrorAlert } from './states.js'

/** The name of a document's file, with its first page beside it while the pointer rests on it. */
export function DocumentName({ document: { id, fileName } }: { readonly document: Document }) {
  return (
    // Without roles: the name is a text, which opens nothing for the keyboard. The preview among the actions does.
    <HoverCard openDelay={400} position="right-start" withinPortal withRoles={false} shadow="md">
      <HoverCard.Target>
        <span>{fileName}</span>
      </HoverCard.Target>
      <HoverCard.Dropdown role="status">
        <FirstPage id={id} fileName={fileName} />
      </HoverCard.Dropdown>
    </HoverCard>
  )
}

function FirstPage({ id, fileName }: { readonly id: string; readonly fileName: string }) {
  const t = useTexts()
  const { url, error } = useFileUrl(id, 'image/png', documents.getPreview)
  if (error !== undefined) return <ErrorAlert error={error} />
  if (!url) return <Loader size="sm" aria-label={t('AbpUi::Loading')} />
  return (
    <>
      <img
        alt={t('Ops:FirstPageOf', { name: fileName })}
        src={url}
        style={{ maxWidth: 260, maxHeight: 340 }}
      />
      <Text size="xs" c="dimmed">
        {fileName}
      </Text>
    </>
  )
}
