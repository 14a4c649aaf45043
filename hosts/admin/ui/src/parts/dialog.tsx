import { Modal } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { LayerContent, useLayer } from './layer.js'

/** A dialog in the middle of the page. A form in it that is being saved keeps it open. */
export function Dialog({
  title,
  size = 'md',
  isHeld = false,
  onClose,
  children,
}: {
  readonly title: string
  /** `page` is the widest, and takes the whole page of a phone. */
  readonly size?: 'md' | 'lg' | 'xl' | 'page'
  /** True while work runs in it: the dialog stays until it ends. */
  readonly isHeld?: boolean
  readonly onClose: () => void
  readonly children: ReactNode
}) {
  const { closing, hold } = useLayer(isHeld)
  const isNarrow = useMediaQuery('(max-width: 48em)', window.innerWidth < 768)
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size={size === 'page' ? 900 : size}
      fullScreen={size === 'page' && isNarrow}
      centered={size === 'md'}
      withCloseButton={!isHeld}
      {...closing}
    >
      <LayerContent value={hold}>{children}</LayerContent>
    </Modal>
  )
}
