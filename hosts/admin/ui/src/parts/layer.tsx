import { createContext, useContext, useLayoutEffect, useState, useSyncExternalStore } from 'react'
import { useTexts } from '../application.js'
import { useReturnedFocus } from './returned-focus.js'

const Holding = createContext<(isHeld: boolean) => void>(() => undefined)

/** Goes around the content of a dialog or drawer, for {@link useHeldLayer}. */
export const LayerContent = Holding.Provider

/** Keeps the dialog or drawer that this part stands in, if any, open while work runs: closing it would not call the work back. */
export function useHeldLayer(isRunning: boolean): void {
  const hold = useContext(Holding)
  useLayoutEffect(() => {
    hold(isRunning)
    return () => hold(false)
  }, [hold, isRunning])
}

/**
 * What all dialogs and drawers have in common: Escape and a click beside it close the topmost one alone, and none in which work runs; the focus
 * goes back to what opened it.
 * @param isHeldByOwner true while work runs in it that its content does not tell
 */
export function useLayer(isHeldByOwner = false) {
  const t = useTexts()
  useReturnedFocus()
  const isOnTop = useIsOnTop()
  const [isHeldByContent, hold] = useState(false)
  const isHeld = isHeldByOwner || isHeldByContent
  return {
    /** The value of {@link LayerContent}. */
    hold,
    /** Properties of Mantine's dialog or drawer. */
    closing: {
      closeOnEscape: isOnTop && !isHeld,
      closeOnClickOutside: isOnTop && !isHeld,
      closeButtonProps: { 'aria-label': t('AbpUi::Close'), disabled: isHeld },
    },
  }
}

let lastNumber = 0
const openNumbers = new Set<number>()
const listeners = new Set<() => void>()

function useIsOnTop(): boolean {
  // Given while it is rendered: what stands in a drawer is rendered after it, though its effects run before.
  const [number] = useState(() => ++lastNumber)
  // Before the page is painted: Escape would be lost between the end of a dialog and that of its number.
  useLayoutEffect(() => {
    openNumbers.add(number)
    for (const listener of listeners) listener()
    return () => {
      openNumbers.delete(number)
      for (const listener of listeners) listener()
    }
  }, [number])
  return useSyncExternalStore(subscribe, () => Math.max(number, ...openNumbers) === number)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
