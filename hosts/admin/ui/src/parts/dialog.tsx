import { Modal } from '@mantine/core'
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import { useTexts } from '../application.js'
import { useReturnedFocus } from './returned-focus.js'

const Holding = createContext<(isHeld: boolean) => void>(() => undefined)

/** Keeps the dialog that this part stands in, if any, open while work runs: what is under way can't be called back by closing it. */
export function useHeldDialog(isRunning: boolean): void {
  const hold = useContext(Holding)
  useEffect(() => {
    hold(isRunning)
    return () => hold(false)
  }, [hold, isRunning])
}

/** A dialog in the middle of the page. A form in it that is being saved keeps it open. */
export function Dialog({
  title,
  size = 'md',
  isHeld: isHeldByOwner = false,
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
  useReturnedFocus()
  const [isHeldByForm, hold] = useState(false)
  const isHeld = isHeldByOwner || isHeldByForm
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size={size}
      centered={size === 'md'}
      closeOnEscape={!isHeld}
      closeOnClickOutside={!isHeld}
      withCloseButton={!isHeldByOwner}
      closeButtonProps={{ 'aria-label': t('AbpUi::Close'), disabled: isHeld }}
    >
      <Holding.Provider value={hold}>{children}</Holding.Provider>
    </Modal>
  )
}
