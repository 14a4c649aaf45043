import { Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Dialog } from './dialog.js'
import { DialogButtons } from './dialog-buttons.js'
import { useTell } from './notices.js'
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
    <Dialog title={title} isHeld={isRunning} onClose={onClose}>
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
    </Dialog>
  )
}

/** What is asked before a button or the entry of a menu takes something away. */
export interface Question {
  /** The text of the button; the heading of the dialog too, unless `title` is given. */
  readonly action: string
  readonly title?: string
  /** What will happen, to how much. */
  readonly words: ReactNode
  readonly run: () => Promise<unknown>
  /** What is told afterwards; nothing unless given. */
  readonly done?: string
}

/** Asks such questions one at a time. The part renders `question`, which is the dialog while one is asked. */
export function useQuestion(): {
  readonly ask: (question: Question) => void
  readonly question: ReactNode
} {
  const tell = useTell()
  const [asked, ask] = useState<Question>()
  const question = asked && (
    <Confirm
      title={asked.title ?? asked.action}
      action={asked.action}
      onConfirm={async () => {
        await asked.run()
        if (asked.done) tell(asked.done)
      }}
      onClose={() => ask(undefined)}
    >
      {asked.words}
    </Confirm>
  )
  return { ask, question }
}
