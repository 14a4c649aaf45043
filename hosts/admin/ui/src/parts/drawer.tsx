import { Drawer as MantineDrawer } from '@mantine/core'
import type { ReactNode } from 'react'
import { LayerContent, useLayer } from './layer.js'

/** What is known of a thing, beside the list that it was opened in. A form in it that is being saved keeps it open. */
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
  const { closing, hold } = useLayer()
  return (
    <MantineDrawer
      opened
      onClose={onClose}
      position="right"
      title={title}
      {...(size !== undefined && { size })}
      {...closing}
    >
      <LayerContent value={hold}>{children}</LayerContent>
    </MantineDrawer>
  )
}
