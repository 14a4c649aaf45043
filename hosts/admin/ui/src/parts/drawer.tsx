import { Drawer as MantineDrawer } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTexts } from '../application.js'
import { useReturnedFocus } from './returned-focus.js'

/** What is known of a thing, beside the list that it was opened in. */
export function Drawer({
  title,
  size,
  onClose,
  children,
}: {
  readonly title: ReactNode
  readonly size?: number | string
  readonly onClose: () => void
  readonly children: ReactNode
}) {
  const t = useTexts()
  useReturnedFocus()
  return (
    <MantineDrawer
      opened
      onClose={onClose}
      position="right"
      title={title}
      {...(size !== undefined && { size })}
      closeButtonProps={{ 'aria-label': t('AbpUi::Close') }}
    >
      {children}
    </MantineDrawer>
  )
}
