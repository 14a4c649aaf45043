import { type Call, useInfiniteList, useMutation } from '@keel/react'
import { Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { type ReactNode, useState } from 'react'
import { useApplication } from '../application.js'
import { Confirm } from './confirm.js'
import {
  ChoiceCell,
  ChoiceHeading,
  type Column,
  cellOf,
  type RowAction,
  RowMenu,
  type Selection,
} from './data-list.js'
import { Icon } from './icons.js'
import type { RowRemoval, RowWork } from './list-page.js'
import { useTell } from './notices.js'
import { ErrorAlert } from './states.js'

/** The rows that belong to a thing, on its page: a table with what creates, changes and deletes them. */
export function SmallList<T extends { readonly id: string }, I extends object>({
  title,
  list,
  input,
  columns,
  work,
  removal,
  actions = [],
  selection,
  emptyHint,
  commands,
  alsoInvalidates = [],
  onWrittenRow,
}: {
  /** The key of its heading. */
  readonly title: string
  readonly list: Call<[input: I], { readonly totalCount: number; readonly items: T[] }>
  readonly input: I
  readonly columns: readonly Column<T>[]
  readonly work?: RowWork<T>
  readonly removal?: RowRemoval<T> | false
  /** Further actions, before the one to delete. */
  readonly actions?: readonly RowAction<T>[]
  /** Puts a box before each row to choose it. */
  readonly selection?: Selection<T>
  /** The key of what to do while there are no rows. */
  readonly emptyHint: string
  /** Buttons beside the one that makes a new row. */
  readonly commands?: ReactNode
  /** Operations of further services whose answers a deletion touches. */
  readonly alsoInvalidates?: readonly Call[]
  /** Shows a row in another way than as cells. */
  readonly onWrittenRow?: (row: T, menu: ReactNode) => ReactNode
}) {
  const { t, formatNumber } = useApplication()
  const tell = useTell()
  const [edited, edit] = useState<string>()
  const [removed, remove] = useState<T>()
  const { run } = useMutation(...alsoInvalidates)
  const isNarrow = useMediaQuery('(max-width: 48em)', window.innerWidth < 768)
  const rows = useInfiniteList(list, input)
  const shown = columns.filter(({ isEssential }) => !isNarrow || isEssential)
  const allActions: RowAction<T>[] = [
    ...(work?.mayEdit
      ? [
          {
            title: 'AbpUi::Edit',
            icon: 'edit',
            run: ({ id }: T) => edit(id),
            ...(work.isEditable && { isShown: work.isEditable }),
          } as const,
        ]
      : []),
    ...actions,
    ...(removal
      ? [
          {
            title: removal.title ?? 'AbpUi::Delete',
            icon: 'trash',
            isDangerous: true,
            run: remove,
            ...(removal.isAllowed && { isShown: removal.isAllowed }),
          } as const,
        ]
      : []),
  ]
  const nameOf = (row: T) => columns[0]?.text?.(row) ?? columns[0]?.cell(row)
  const menuOf = (row: T) =>
    allActions.length > 0 && <RowMenu row={row} actions={allActions} name={nameOf(row)} />
  return (
    <Stack gap="sm" component="section">
      <Group justify="space-between">
        <Title order={2}>{t(title)}</Title>
        <Group gap="xs">
          {commands}
          {work?.newTitle && (
            <Button
              size="xs"
              variant="default"
              leftSection={<Icon name="plus" size={16} />}
              onClick={() => edit('new')}
            >
              {t(work.newTitle)}
            </Button>
          )}
        </Group>
      </Group>
      {rows.error ? (
        <ErrorAlert error={rows.error} retry={rows.refetch} />
      ) : rows.isLoading ? (
        <Skeleton height={88} />
      ) : rows.rows.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t(emptyHint)}
        </Text>
      ) : onWrittenRow ? (
        rows.rows.map((row) => <div key={row.id}>{onWrittenRow(row, menuOf(row))}</div>)
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by the keyboard
        <section className="keel-list" tabIndex={0} aria-label={t(title)}>
          <table>
            <thead>
              <tr>
                {selection && <ChoiceHeading />}
                {shown.map((column) => (
                  <th key={column.id} scope="col" data-figure={column.isFigure}>
                    {t(column.title)}
                  </th>
                ))}
                {allActions.length > 0 && (
                  <th scope="col" data-actions>
                    <span className="visually-hidden">{t('AbpUi::Actions')}</span>
                  </th>
                )}
              </tr>
            </thead>
            <tbody>
              {rows.rows.map((row) => (
                <tr key={row.id} data-row={row.id}>
                  {selection && <ChoiceCell row={row} selection={selection} name={nameOf(row)} />}
                  {shown.map((column) => (
                    <td key={column.id} data-figure={column.isFigure}>
                      {cellOf(column, row)}
                    </td>
                  ))}
                  {allActions.length > 0 && <td data-actions>{menuOf(row)}</td>}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {rows.rows.length < rows.totalCount && (
        <Group>
          <Button variant="default" size="xs" loading={rows.isFetchingMore} onClick={rows.fetchMore}>
            {t('LoadMore')}
          </Button>
          <Text size="sm" c="dimmed">
            {t('RowCount', { shown: formatNumber(rows.rows.length), total: formatNumber(rows.totalCount) })}
          </Text>
        </Group>
      )}
      {work && edited && (
        <span key={edited}>{work.dialog(edited === 'new' ? undefined : edited, () => edit(undefined))}</span>
      )}
      {removal && removed && (
        <Confirm
          title={t(removal.title ?? 'AbpUi::Delete')}
          action={t(removal.title ?? 'AbpUi::Delete')}
          onConfirm={async () => {
            await run(removal.call, removed.id)
            tell(t('AbpUi::DeletedSuccessfully'))
          }}
          onClose={() => remove(undefined)}
        >
          {removal.warn(removed)}
        </Confirm>
      )}
    </Stack>
  )
}
