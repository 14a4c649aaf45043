import { Button, Group, TextInput } from '@mantine/core'
import { useTexts } from '../application.js'
import { Icon } from './icons.js'
import { useTell } from './notices.js'

/** A text to take along, with a button that copies it. */
export function CopyBox({ label, text }: { readonly label: string; readonly text: string }) {
  const t = useTexts()
  const tell = useTell()
  return (
    <Group align="flex-end" gap="xs" wrap="nowrap">
      <TextInput
        label={label}
        value={text}
        readOnly
        style={{ flex: 1 }}
        styles={{ input: { fontFamily: 'ui-monospace, monospace' } }}
        onFocus={({ currentTarget }) => currentTarget.select()}
      />
      <Button
        variant="default"
        leftSection={<Icon name="copy" />}
        onClick={() =>
          void navigator.clipboard.writeText(text).then(
            () => tell(t('Copied')),
            (error: Error) => tell(error.message, true),
          )
        }
      >
        {t('Copy')}
      </Button>
    </Group>
  )
}
