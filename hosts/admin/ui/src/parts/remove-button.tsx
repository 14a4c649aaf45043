import { ActionIcon, type ActionIconProps } from '@mantine/core'
import type { ComponentProps } from 'react'
import { useTexts } from '../application.js'
import { useQuestion } from './confirm.js'
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

/** The trash icon of an open invitation, which asks before it takes the invitation back. */
export function TakeBackButton({
  email,
  takeBack,
}: {
  /** The address that was invited. */
  readonly email: string
  readonly takeBack: () => Promise<unknown>
}) {
  const t = useTexts()
  const { ask, question } = useQuestion()
  return (
    <>
      <RemoveButton
        label={`${t('TakeBack')}: ${email}`}
        title={t('TakeBack')}
        onClick={() =>
          ask({
            action: t('TakeBack'),
            words: t('TakeBackHint', { email }),
            run: takeBack,
            done: t('AbpUi::DeletedSuccessfully'),
          })
        }
      />
      {question}
    </>
  )
}
