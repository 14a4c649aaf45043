import { type Call, useInfiniteList } from '@keel/react'
import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useEffect, useState } from 'react'
import { useTexts } from '../application.js'
import { Confirm } from './confirm.js'
import { useTell } from './notices.js'
import { ErrorAlert } from './states.js'

/** Rows that are offered at once, and rows of the list that are looked through for them before a longer text has to be typed. */
const enough = 10
const mostRead = 300

/** Chooses a row of another list, such as a shipment that goes on a consol. The server searches, and rows that can't be chosen are left out. */
export function RowChooser<T extends { readonly id: string }, I extends object>({
  title,
  action = title,
  label,
  hint,
  list,
  input,
  isOffered = () => true,
  labelOf,
  onChoose,
  onClose,
}: {
  /** The keys of the heading, of the button, of the field and of the line below the field's label. */
  readonly title: string
  readonly action?: string
  readonly label: string
  readonly hint?: string
  /** The paged operation, whose `filter` gets what is typed; `input` are its further members. */
  readonly list: Call<[input: I], { readonly totalCount: number; readonly items: T[] }>
  readonly input?: Partial<I>
  /** False for rows that the server does not leave out and that can't be chosen, such as those that were before. */
  readonly isOffered?: (row: T) => boolean
  /** The words of a row. The first are what the server finds it by. */
  readonly labelOf: (row: T) => readonly [string, ...(string | null | undefined)[]]
  readonly onChoose: (row: T) => Promise<unknown>
  readonly onClose: () => void
}) {
  const t = useTexts()
  const tell = useTell()
  const [typed, setTyped] = useState('')
  const [filter] = useDebouncedValue(typed, 250)
  // The whole row: what is found changes with what is typed, also when the name of the chosen one is written there.
  const [chosen, choose] = useState<T>()
  const found = useInfiniteList(list, { ...input, filter: filter || undefined } as unknown as I)
  const free = found.rows.filter(isOffered)
  const options = chosen && free.every(({ id }) => id !== chosen.id) ? [chosen, ...free] : free
  const isSearching = found.isLoading || found.isStale || found.isFetchingMore || filter !== typed
  const isShort = free.length < enough && found.rows.length < mostRead
  const { fetchMore } = found
  useEffect(() => {
    if (isShort && !found.error) fetchMore()
  })
  return (
    <Confirm
      title={t(title)}
      action={t(action)}
      isDangerous={false}
      isReady={chosen !== undefined}
      onConfirm={async () => {
        if (!chosen) return
        await onChoose(chosen)
        tell(t('AbpUi::SavedSuccessfully'))
      }}
      onClose={onClose}
    >
      <Select
        label={t(label)}
        description={hint && t(hint)}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        data-autofocus
        searchable
        clearable
        data={options.map((row) => ({ value: row.id, label: labelOf(row).filter(Boolean).join(' · ') }))}
        filter={({ options: all }) => all}
        onSearchChange={(text) => setTyped(text.split(' · ')[0] ?? '')}
        value={chosen?.id ?? null}
        onChange={(chosenId) => choose(options.find(({ id }) => id === chosenId))}
        nothingFoundMessage={t(isSearching ? 'AbpUi::Loading' : 'NothingFound')}
      />
      {found.error && <ErrorAlert error={found.error} retry={found.refetch} />}
    </Confirm>
  )
}
