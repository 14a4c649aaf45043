import {
  DocumentPermissions,
  DocumentStatus,
  documentFormats,
  mostZippedDocuments,
  OrganizationPermissions,
  type Progress,
  withOptions,
} from '@keel/hub-proxy'
import { useMutation } from '@keel/react'
import { Alert, Button, FileButton, Select, Stack, Text } from '@mantine/core'
import { type DragEvent, lazy, Suspense, useState } from 'react'
import { useApplication } from '../application.js'
import { BulkProgress, useBulk } from './bulk.js'
import type { Column, RowAction, Selection } from './data-list.js'
import { Dialog } from './dialog.js'
import { DialogButtons } from './dialog-buttons.js'
import { DocumentName } from './document-name.js'
import { saveFile } from './download.js'
import { EditDialog, type Editing } from './edit-dialog.js'
import type { Option } from './fields.js'
import { type Document, documents, orders, shipments } from './hub.js'
import { useCodeName, useCodes } from './hub-selects.js'
import { Icon } from './icons.js'
import { useAct, useTell } from './notices.js'
import { SmallList } from './small-list.js'
import { DocumentState } from './statuses.js'

const own = (name: string) => `Hub::DisplayName:Document:${name}`
const Preview = lazy(async () => ({ default: (await import('./document-preview.js')).DocumentPreview }))
/** What a browser shows itself. */
const shownTypes = new Set(['application/pdf', 'image/png', 'image/jpeg'])
const accepted = Object.keys(documentFormats)
  .map((extension) => `.${extension}`)
  .join(',')

/** True for a document whose file the server hands out. */
const isReadable = ({ status }: Document) =>
  status !== DocumentStatus.Pending && status !== DocumentStatus.Quarantined
const hasPreview = (document: Document) => isReadable(document) && shownTypes.has(document.contentType)

/** Words for a size in bytes. */
export function sizeOf(bytes: number, formatNumber: (value: number) => string): string {
  if (bytes < 1000) return `${bytes} B`
  if (bytes < 1_000_000) return `${formatNumber(Math.round(bytes / 1000))} kB`
  return `${formatNumber(Math.round(bytes / 100_000) / 10)} MB`
}

function valuesOf(document?: Document) {
  return {
    documentTypeId: document?.documentType?.id ?? null,
    title: document?.title ?? '',
    expiryDate: document?.expiryDate ?? '',
    isCustomerVisible: document?.isCustomerVisible ?? true,
    concurrencyStamp: document?.concurrencyStamp ?? '',
  }
}

/** What every list of documents has: columns, actions of a row, and how a row is changed and deleted. */
export function useDocumentRows() {
  const { t, may, formatInstant, formatNumber } = useApplication()
  const act = useAct()
  const types = useCodes('DocumentType')
  const typeName = useCodeName('DocumentType')
  const { run } = useMutation(shipments.get)
  const [chosen, choose] = useState<readonly Document[]>([])
  const mayArchive = may(DocumentPermissions.Edit) && may(OrganizationPermissions.AccessAll)
  const selection: Selection<Document> = {
    isChosen: ({ id }) => chosen.some((one) => one.id === id),
    toggle: (row) =>
      choose((before) => {
        const others = before.filter(({ id }) => id !== row.id)
        return others.length < before.length ? others : [...others, row]
      }),
    isAllowed: isReadable,
  }
  const [shown, show] = useState<Document>()
  const [replaced, replace] = useState<Document>()
  const mayEdit = may(DocumentPermissions.Edit)
  const columns: readonly Column<Document>[] = [
    {
      id: 'file',
      title: own('FileName'),
      sort: 'fileName',
      isEssential: true,
      cell: (document) => (hasPreview(document) ? <DocumentName document={document} /> : document.fileName),
      text: ({ fileName }) => fileName,
    },
    {
      id: 'type',
      title: own('DocumentType'),
      isEssential: true,
      cell: ({ documentType }) => typeName(documentType),
    },
    { id: 'title', title: own('Title'), sort: 'title', cell: ({ title }) => title },
    {
      id: 'status',
      title: 'State',
      cell: ({ status, quarantineReason }) => (
        <DocumentState status={status} {...(quarantineReason && { reason: quarantineReason })} />
      ),
    },
    { id: 'version', title: own('Version'), cell: ({ version }) => version },
    {
      id: 'size',
      title: own('FileSize'),
      sort: 'fileSize',
      isFigure: true,
      cell: ({ fileSize }) => sizeOf(fileSize, formatNumber),
    },
    { id: 'date', title: own('FileDate'), sort: 'fileDate', cell: ({ fileDate }) => formatInstant(fileDate) },
  ]
  const actions: readonly RowAction<Document>[] = [
    {
      title: 'Ops:Preview',
      icon: 'search',
      isShown: hasPreview,
      run: show,
    },
    {
      title: 'Ops:Download',
      icon: 'download',
      isShown: isReadable,
      run: ({ id }) => act(documents.getContent(id).then(saveFile), t('Exported')),
    },
    {
      title: 'Ops:NewVersion',
      icon: 'upload',
      isShown: ({ status }) => mayEdit && status === DocumentStatus.Published,
      run: replace,
    },
    {
      title: 'Ops:Archive',
      icon: 'box',
      isShown: ({ status }) =>
        mayArchive && (status === DocumentStatus.Published || status === DocumentStatus.Superseded),
      run: ({ id, fileName }) =>
        act(run(documents.archive, id, {}), t('Ops:ArchivedFile', { name: fileName })),
    },
    {
      title: 'Ops:Restore',
      icon: 'history',
      isShown: ({ status }) => mayArchive && status === DocumentStatus.Archived,
      run: ({ id, fileName }) =>
        act(run(documents.restore, id, {}), t('Ops:RestoredFile', { name: fileName })),
    },
  ]
  const editing: Editing<Document, ReturnType<typeof valuesOf>> = {
    draft: 'document',
    ownFields: 'Hub.Document',
    get: documents.get,
    update: documents.update as never,
    valuesOf,
    sendsChangesOnly: true,
    alsoInvalidates: [shipments.get],
    fields: [
      {
        name: 'documentTypeId',
        title: own('DocumentType'),
        kind: 'choice',
        options: types,
        isRequired: true,
      },
      { name: 'title', title: own('Title') },
      { name: 'expiryDate', title: own('ExpiryDate'), kind: 'date' },
      {
        name: 'isCustomerVisible',
        title: own('IsCustomerVisible'),
        kind: 'check',
        isShown: () => may(OrganizationPermissions.AccessAll),
      },
    ],
  }
  return {
    columns,
    actions,
    selection,
    zip: chosen.length > 0 && <ZipButton chosen={chosen} />,
    types,
    work: {
      mayEdit,
      dialog: (id: string | undefined, onClose: () => void) => (
        <EditDialog id={id} title={t('Hub::Entity:Document')} editing={editing} onClose={onClose} />
      ),
    },
    removal: may(DocumentPermissions.Delete) && {
      call: documents.delete,
      warn: ({ fileName }: Document) => t('Ops:DeleteDocumentHint', { name: fileName }),
    },
    dialogs: (
      <>
        {shown && (
          <Suspense>
            <Preview document={shown} onClose={() => show(undefined)} />
          </Suspense>
        )}
        {replaced && (
          <FileDialog
            title={t('Ops:NewVersionOf', { name: replaced.fileName })}
            send={async (file) => {
              await run(documents.uploadNewVersion, replaced.id, { file })
              replace(undefined)
            }}
            onClose={() => replace(undefined)}
          />
        )}
      </>
    ),
  }
}

/** Loads the files of the chosen documents as one zip file; shows how far it is meanwhile, and can be stopped. */
function ZipButton({ chosen }: { readonly chosen: readonly Document[] }) {
  const { t, formatNumber } = useApplication()
  const tell = useTell()
  const bulk = useBulk()
  const load = async () => {
    // Nearly what the zip file has: most kinds of documents are compressed already.
    const total = chosen.reduce((sum, { fileSize }) => sum + fileSize, 0)
    const ids = chosen.map(({ id }) => id)
    await bulk.run(async (report, signal) => {
      report(0, total)
      try {
        const onDownload = ({ loadedBytes }: Progress) => report(loadedBytes, Math.max(loadedBytes, total))
        await saveFile(await withOptions(documents, { signal, onDownload }).getZip({ ids }))
        tell(t('Exported'))
      } catch (error) {
        if (!signal.aborted) tell((error as Error).message, true)
      }
    })
  }
  if (bulk.reached)
    return (
      <BulkProgress
        bulk={bulk}
        title={t('Ops:DownloadZip', { count: chosen.length })}
        format={(bytes) => sizeOf(bytes, formatNumber)}
      />
    )
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<Icon name="download" size={16} />}
      disabled={chosen.length > mostZippedDocuments}
      onClick={() => void load()}
    >
      {t('Ops:DownloadZip', { count: chosen.length })}
    </Button>
  )
}

/** The documents of a shipment or an order: to upload by drag and drop, look at, download, change and delete. */
export function DocumentsOf({
  of,
}: {
  readonly of: { readonly shipmentId: string } | { readonly orderId: string }
}) {
  const { t, may } = useApplication()
  const { columns, actions, selection, zip, types, work, removal, dialogs } = useDocumentRows()
  const [dropped, setDropped] = useState<readonly File[]>([])
  // Files that come together are mostly of one type.
  const [type, setType] = useState<string | null>(null)
  const drop = (files: readonly File[]) => {
    setDropped(files)
    if (files.length === 0) setType(null)
  }
  const [isOver, setOver] = useState(false)
  const mayUpload = may(DocumentPermissions.Create)
  const [file, ...later] = dropped
  const overlay = {
    onDragOver: (event: DragEvent) => {
      event.preventDefault()
      setOver(true)
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      event.preventDefault()
      setOver(false)
      drop([...event.dataTransfer.files])
    },
  }
  return (
    <div {...(mayUpload && overlay)} className={isOver ? 'keel-drop keel-drop-over' : 'keel-drop'}>
      <SmallList
        title="Hub::DisplayName:Documents"
        list={documents.getList}
        input={of}
        emptyHint={mayUpload ? 'Ops:NoDocumentsHint' : 'NothingYet'}
        columns={columns}
        actions={actions}
        selection={selection}
        work={work}
        removal={removal}
        alsoInvalidates={[shipments.get]}
        commands={
          <>
            {zip}
            {mayUpload && (
              <FileButton multiple accept={accepted} onChange={(files) => drop(files)}>
                {(props) => (
                  <Button
                    {...props}
                    size="xs"
                    variant="default"
                    leftSection={<Icon name="upload" size={16} />}
                  >
                    {t('Ops:Upload')}
                  </Button>
                )}
              </FileButton>
            )}
          </>
        }
      />
      {mayUpload && (
        <Text size="sm" c="dimmed" mt="sm">
          {t('Ops:DropHint')}
        </Text>
      )}
      {dialogs}
      {file && (
        <UploadDialog
          key={`${file.name}:${later.length}`}
          file={file}
          remaining={later.length}
          of={of}
          types={types}
          type={type}
          onType={setType}
          onDone={() => drop(later)}
          onClose={() => drop([])}
        />
      )}
    </div>
  )
}

/** Asks what a chosen file is, and uploads it; several come one after the other. */
function UploadDialog({
  file,
  remaining,
  of,
  types,
  type,
  onType,
  onDone,
  onClose,
}: {
  readonly file: File
  readonly remaining: number
  readonly of: { readonly shipmentId: string } | { readonly orderId: string }
  readonly types: readonly Option[]
  readonly type: string | null
  readonly onType: (type: string | null) => void
  readonly onDone: () => void
  readonly onClose: () => void
}) {
  const { t, formatNumber } = useApplication()
  const tell = useTell()
  const { run, isRunning } = useMutation(shipments.get, orders.get)
  const [error, setError] = useState<Error>()
  const send = async () => {
    if (!type) return
    setError(undefined)
    try {
      await run(documents.upload, { file, documentTypeId: type, ...of })
      tell(t('Ops:Uploaded', { name: file.name }))
      onDone()
    } catch (refusal) {
      setError(refusal as Error)
    }
  }
  return (
    <Dialog title={t('Ops:UploadFile', { name: file.name })} isHeld={isRunning} onClose={onClose}>
      <Stack>
        <Text size="sm" c="dimmed">
          {sizeOf(file.size, formatNumber)}
          {remaining > 0 && ` · ${t('AndMore', { count: remaining })}`}
        </Text>
        {error && (
          <Alert color="red" variant="light" role="alert">
            {error.message}
          </Alert>
        )}
        <Select
          label={t(own('DocumentType'))}
          required
          searchable
          data={types.filter(({ isRetired }) => !isRetired)}
          value={type}
          onChange={onType}
          data-autofocus
        />
        <DialogButtons
          text={t('Ops:Upload')}
          isDangerous={false}
          isReady={type !== null}
          isRunning={isRunning}
          onCancel={onClose}
          onConfirm={() => void send()}
        >
          {remaining > 0 && (
            <Button variant="subtle" me="auto" disabled={isRunning} onClick={onDone}>
              {t('Ops:SkipFile')}
            </Button>
          )}
        </DialogButtons>
      </Stack>
    </Dialog>
  )
}

/** Asks for a file. */
function FileDialog({
  title,
  send,
  onClose,
}: {
  readonly title: string
  readonly send: (file: File) => Promise<void>
  readonly onClose: () => void
}) {
  const { t } = useApplication()
  const [error, setError] = useState<Error>()
  const [isSending, setSending] = useState(false)
  const choose = async (file: File | null) => {
    if (!file) return
    setSending(true)
    setError(undefined)
    await send(file).catch((refusal: Error) => {
      setError(refusal)
      setSending(false)
    })
  }
  return (
    <Dialog title={title} isHeld={isSending} onClose={onClose}>
      <Stack>
        <Text size="sm">{t('Ops:NewVersionHint')}</Text>
        {error && (
          <Alert color="red" variant="light" role="alert">
            {error.message}
          </Alert>
        )}
        <FileButton accept={accepted} onChange={(file) => void choose(file)}>
          {(props) => (
            <Button {...props} loading={isSending} leftSection={<Icon name="upload" />}>
              {t('ChooseFile')}
            </Button>
          )}
        </FileButton>
      </Stack>
    </Dialog>
  )
}
