import { Select, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useTexts } from '../application.js'
import { Confirm } from './confirm.js'
import type { Option } from './fields.js'

/** Asks where a thing, or what it holds, is to be moved to. */
export function MoveDialog({
  title,
  action,
  hint,
  label,
  nowhere,
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
  return (
    <Confirm
      title={`${t(action)}: ${title}`}
      action={t(action)}
      isDangerous={false}
      onConfirm={() => onMove(to ?? undefined)}
      onClose={onClose}
    >
      <Stack>
        {hint && <Text size="sm">{hint}</Text>}
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
