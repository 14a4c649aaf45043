import { Button, Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTexts } from '../application.js'

/** The buttons at the end of a dialog or form. What takes something away is confirmed in red, everywhere. */
export function DialogButtons({
  text,
  isDangerous,
  isReady = true,
  isRunning,
  onCancel,
  onConfirm,
  children,
}: {
  /** The words of the button that does it. */
  readonly text: string
  /** True for what takes something away: data, access, or a thing from where it stands. */
  readonly isDangerous: boolean
  readonly isReady?: boolean
  readonly isRunning: boolean
  readonly onCancel?: (() => void) | undefined
  /** The button submits the form that it stands in unless given. */
  readonly onConfirm?: () => void
  /** Words before the buttons. */
  readonly children?: ReactNode
}) {
  const t = useTexts()
  return (
    <Group justify="flex-end">
      {children}
      {/* Both stay side by side where the words need a line of their own. */}
      <Group justify="flex-end">
        {onCancel && (
          // A dialog that asks before something is lost begins at the button that loses nothing.
          // What is under way can't be called back by it.
          <Button
            variant="default"
            disabled={isRunning}
            onClick={onCancel}
            {...(onConfirm && { 'data-autofocus': true })}
          >
            {t('AbpUi::Cancel')}
          </Button>
        )}
        <Button
          color={isDangerous ? 'red' : undefined}
          disabled={!isReady}
          loading={isRunning}
          {...(onConfirm ? { onClick: onConfirm } : { type: 'submit' as const })}
        >
          {text}
        </Button>
      </Group>
    </Group>
  )
}
