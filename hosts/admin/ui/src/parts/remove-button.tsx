import { ActionIcon, type ActionIconProps } from '@mantine/core'
import type { ComponentProps } from 'react'
import { Icon } from './icons.js'

/** The trash icon of a row, which looks the same wherever something is taken away by a button of its own. */
export function RemoveButton({
  label,
  ...button
}: {
  /** The words for screen readers: what it does, and to which row. */
  readonly label: string
} & Pick<ActionIconProps, 'size'> &
  Pick<ComponentProps<'button'>, 'onClick' | 'title' | 'tabIndex'>) {
  return (
    <ActionIcon variant="subtle" color="red" aria-label={label} {...button}>
      <Icon name="trash" />
    </ActionIcon>
  )
}
