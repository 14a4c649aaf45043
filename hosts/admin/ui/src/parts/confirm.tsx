import { Modal, Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useTexts } from '../application.js'
import { DialogButtons } from './dialog-buttons.js'
import { ErrorAlert } from './states.js'

/** Asks before something happens: says what it touches, and shows the server's words when it is refused. */
export function Confirm({
  title,
  children,
  action,
  isDangerous = true,
  isReady = true,
  onConfirm,
  onClose,
}: {
  readonly title: string
  /** What will happen, to how much. */
  readonly children: ReactNode
  /** The text of the button. */
  readonly action: string
  /** False when nothing is taken away. */
  readonly isDangerous?: boolean
  /** False while something has to be chosen first. */
  readonly isReady?: boolean
  readonly onConfirm: () => Promise<unknown>
  readonly onClose: () => void
}) {
  const t = useTexts()
  const [error, setError] = useState<unknown>()
  const [isRunning, setRunning] = useState(false)
  const confirm = async () => {
    setRunning(true)
    setError(undefined)
    try {
      await onConfirm()
      onClose()
    } catch (refusal) {
      setError(refusal)
    } finally {
      setRunning(false)
    }
  }
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      centered
      closeButtonProps={{ 'aria-label': t('AbpUi::Close') }}
    >
      <Stack>
        <Text size="sm" component="div">
          {children}
        </Text>
        {error !== undefined && <ErrorAlert error={error} />}
        <DialogButtons
          text={action}
          {...{ isDangerous, isReady, isRunning }}
          onCancel={onClose}
          onConfirm={() => void confirm()}
        />
      </Stack>
    </Modal>
  )
}
