import { Button, FileButton, Group } from '@mantine/core'
import { useTexts } from '../application.js'
import { saveBlob } from './download.js'
import { Icon } from './icons.js'
import { useTell } from './notices.js'
import type { Changes, GrantsOfFile, PermissionTree } from './permission-tree.js'

/** A file of grants larger than this is none of ours. */
const mostBytes = 1_000_000

/** Saves the own grants of a holder as a file, and reads such a file as changes, which are looked at before they are saved. */
export function GrantsFile({
  tree,
  name,
  onRead,
}: {
  readonly tree: PermissionTree
  /** Of the file. */
  readonly name: string
  readonly onRead: (changes: Changes) => void
}) {
  const t = useTexts()
  const tell = useTell()
  const read = async (file: File | null) => {
    if (!file) return
    const grants = file.size <= mostBytes ? parse(await file.text()) : undefined
    if (!grants) return tell(t('NoGrantsFile'), true)
    const changes = tree.changesTo(grants)
    onRead(changes)
    tell(t('GrantsRead', { count: changes.size }))
  }
  return (
    <Group gap={4}>
      <Button
        variant="subtle"
        leftSection={<Icon name="download" />}
        onClick={() =>
          saveBlob(
            new Blob([JSON.stringify(tree.file(), undefined, 2)], { type: 'application/json' }),
            `permissions-${name}.json`,
          )
        }
      >
        {t('Export')}
      </Button>
      <FileButton accept="application/json,.json" onChange={(file) => void read(file)}>
        {(props) => (
          <Button {...props} variant="subtle" leftSection={<Icon name="upload" />}>
            {t('Import')}
          </Button>
        )}
      </FileButton>
    </Group>
  )
}

function parse(text: string): GrantsOfFile | undefined {
  try {
    const { granted, prohibited } = JSON.parse(text) as Partial<GrantsOfFile>
    const areNames = (list: unknown): list is string[] =>
      Array.isArray(list) && list.every((one) => typeof one === 'string')
    return areNames(granted) && areNames(prohibited) ? { granted, prohibited } : undefined
  } catch {
    return undefined
  }
}
