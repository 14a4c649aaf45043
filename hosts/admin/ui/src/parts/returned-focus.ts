import { useEffect, useState } from 'react'

/**
 * Gives the focus back, when this part goes, to what had it before the part was there: the button that opened a dialog. The button of
 * the menu stands in for its entry, and the content of the page for what is gone by then, such as a row that was deleted.
 */
export function useReturnedFocus(): void {
  // Asked for while it is rendered: afterwards the dialog has the focus.
  const [opener] = useState(openerOf)
  useEffect(
    () => () => {
      const { activeElement, body } = document
      if (activeElement && activeElement !== body) return
      const next = opener?.isConnected ? opener : document.getElementById('content')
      next?.focus({ preventScroll: true })
    },
    [opener],
  )
}

function openerOf(): HTMLElement | null {
  const { activeElement } = document
  const menu = activeElement?.closest('[role="menu"]')?.getAttribute('aria-labelledby')
  if (menu) return document.getElementById(menu)
  return activeElement instanceof HTMLElement && activeElement !== document.body ? activeElement : null
}
