import { useEffect, useState } from 'react'

/** What opened the dialogs and drawers that are open, the first one first. */
let openers: readonly HTMLElement[] = []

/**
 * Gives the focus back, when this part goes, to what had it before the part was there: the button that opened a dialog. The button of
 * the menu stands in for its entry. For what is gone by then stands what opened the dialog that it was in, and at last the content of the page,
 * e.g. for a row that was deleted.
 */
export function useReturnedFocus(): void {
  // Asked for while it is rendered: afterwards the dialog has the focus.
  const [opener] = useState(openerOf)
  const [outer] = useState(() => [...openers].reverse())
  useEffect(() => {
    if (opener) openers = [...openers, opener]
    return () => {
      openers = openers.filter((one) => one !== opener)
      const { activeElement, body } = document
      if (activeElement && activeElement !== body) return
      const next = [opener, ...outer].find((one) => one?.isConnected) ?? document.getElementById('content')
      next?.focus({ preventScroll: true })
    }
  }, [opener, outer])
}

function openerOf(): HTMLElement | null {
  const { activeElement } = document
  const menu = activeElement?.closest('[role="menu"]')?.getAttribute('aria-labelledby')
  if (menu) return document.getElementById(menu)
  return activeElement instanceof HTMLElement && activeElement !== document.body ? activeElement : null
}
