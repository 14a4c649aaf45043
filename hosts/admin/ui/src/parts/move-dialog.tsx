import { Select, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useTexts } from '../application.js'
import { Confirm } from './confirm.js'
import type { Option } from './fields.js'

/** Asks where a thing, or what it holds, is to be moved to. Where `nowhereHint` says what is lost without a target, the button is red then. */
export function MoveDialog({
  title,
  action,
  hint,
  label,
  nowhere,
  nowhereHint,
  targets,
  current = null,
  onMove,
  onClose,
}: {
  /** What is moved, in words. */
  readonly title: string
  /** The key of the button. */
  readonly action: string
  /** What will happen, in words. */
  readonly hint?: string
  /** The same for an empty field, when that takes something away. */
  readonly nowhereHint?: string
  /** The key of the field's label. */
  readonly label: string
  /** The key of what an empty field means. */
  readonly nowhere: string
  readonly targets: readonly Option[]
  readonly current?: string | null
  /** Gets the id of the target; undefined for an empty field. */
  readonly onMove: (to: string | undefined) => Promise<unknown>
  readonly onClose: () => void
}) {
  const t = useTexts()
  const [to, setTo] = useState(current)
  const words = to === null ? (nowhereHint ?? hint) : hint
  return (
    <Confirm
      title={`${t(action)}: ${title}`}
      action={t(action)}
      isDangerous={to === null && nowhereHint !== undefined}
      onConfirm={() => onMove(to ?? undefined)}
      onClose={onClose}
    >
      <Stack>
        {words && <Text size="sm">{words}</Text>}
        <Select
          label={t(label)}
          placeholder={t(nowhere)}
          clearable
          searchable
          data={[...targets]}
          value={to}
          onChange={setTo}
        />
      </Stack>
    </Confirm>
  )
}
