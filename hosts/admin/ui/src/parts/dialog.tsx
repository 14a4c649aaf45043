import { Modal } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTexts } from '../application.js'

/** A dialog in the middle of the page. */
export function Dialog({
  title,
  size = 'md',
  isHeld = false,
  onClose,
  children,
}: {
  readonly title: string
  readonly size?: 'md' | 'lg' | 'xl'
  /** True while work runs in it: the dialog stays until it ends. */
  readonly isHeld?: boolean
  readonly onClose: () => void
  readonly children: ReactNode
}) {
  const t = useTexts()
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size={size}
      centered={size === 'md'}
      closeOnEscape={!isHeld}
      closeOnClickOutside={!isHeld}
      withCloseButton={!isHeld}
      closeButtonProps={{ 'aria-label': t('AbpUi::Close') }}
    >
      {children}
    </Modal>
  )
}
