import { type Call, type InfiniteList, useInfiniteList } from '@keel/react'
import {
  ActionIcon,
  Anchor,
  Button,
  Checkbox,
  Group,
  Loader,
  Menu,
  Popover,
  Skeleton,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { useDebouncedCallback, useMediaQuery } from '@mantine/hooks'
import { Link } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useApplication } from '../application.js'
import { type Filter, FilterFields, filterInput } from './filters.js'
import { Icon, type IconName } from './icons.js'
import { SavedViews } from './saved-views.js'
import { EmptyState, ErrorAlert } from './states.js'
import { useLeftState, useUrlState } from './url-state.js'

/** A column of a list. */
export interface Column<T> {
  readonly id: string
  /** The key of its heading. */
  readonly title: string
  readonly cell: (row: T) => ReactNode
  /** The words of a cell that is more than words, for screen readers. */
  readonly text?: (row: T) => string
  /** The field that the server sorts by; without it the heading is no button. */
  readonly sort?: string
  /** Shown on a phone too. The others need a wider screen. */
  readonly isEssential?: boolean
  /** Shown only when it is chosen in the menu of columns. */
  readonly isExtra?: boolean
  /** Shown whatever is chosen there. */
  readonly isFixed?: boolean
  /** True for figures: they stand at the end of the column, digit below digit. */
  readonly isFigure?: boolean
}

/** Something that can be done with a row. */
export interface RowAction<T> {
  /** The key of its text. */
  readonly title: string
  readonly icon: IconName
  readonly run: (row: T) => void
  readonly isDangerous?: boolean
  /** False hides it, for want of a permission or because the row does not allow it. */
  readonly isShown?: (row: T) => boolean
}

/** Rows that are chosen for something that is done with several at once. */
export interface Selection<T> {
  readonly isChosen: (row: T) => boolean
  /** Chooses a row, or gives it up. */
  readonly toggle: (row: T) => void
  /** False for rows that can't be chosen. */
  readonly isAllowed: (row: T) => boolean
}

const rowHeight = 44

/**
 * A list of the server's rows that only renders what is in sight. Filter, order and columns stand in the address (`?filter=…&sorting=…&columns=…`),
 * so that it can be sent to others.
 * @param list the paged operation; `input` are its further members
 */
export function DataList<T extends { readonly id: string }, I extends object>({
  label,
  list,
  input,
  columns,
  onOpen,
  hrefOf,
  isOpenable,
  actions = [],
  selection,
  filters = [],
  isSearchable = true,
  views,
  commands,
  empty,
}: {
  /** What the list holds, for screen readers. */
  readonly label: string
  readonly list: Call<[input: I], { readonly totalCount: number; readonly items: T[] }>
  readonly input?: Partial<I>
  readonly columns: readonly Column<T>[]
  /** Opens a row: the first column becomes a link. */
  readonly onOpen?: (row: T) => void
  /** The address of a row's own page: the first column becomes a link to it. */
  readonly hrefOf?: (row: T) => string
  /** False for rows that have nothing to open. */
  readonly isOpenable?: (row: T) => boolean
  readonly actions?: readonly RowAction<T>[]
  /** Puts a box before each row to choose it. */
  readonly selection?: Selection<T>
  /** Further conditions beside the search. */
  readonly filters?: readonly Filter[]
  /** False for an operation without a `filter`. */
  readonly isSearchable?: boolean
  /** The name that views of this list are saved under; without it none are. */
  readonly views?: string
  /** Buttons at the end of the line. */
  readonly commands?: ReactNode
  /** Shown when there are no rows and nothing is filtered. */
  readonly empty?: ReactNode
}) {
  const { t, formatNumber } = useApplication()
  const [url, setUrl] = useUrlState()
  const isNarrow = useMediaQuery('(max-width: 48em)', window.innerWidth < 768)
  const [kept, keep] = useKeptColumns(views)
  const named = url['columns'] ?? kept
  const chosen = named?.split('.') ?? columns.filter(({ isExtra }) => !isExtra).map(({ id }) => id)
  const shown = columns.filter(({ id, isEssential, isFixed }) =>
    isNarrow ? isEssential : isFixed || chosen.includes(id),
  )
  const chooseColumns = (ids: readonly string[] | undefined) => {
    keep(ids?.join('.'))
    setUrl({ columns: ids?.join('.') })
  }
  const asked = {
    ...input,
    ...filterInput(filters, url),
    ...(isSearchable && { filter: url['filter'] }),
    sorting: url['sorting'],
  } as unknown as I
  const conditions = ['filter', ...filters.map(({ name }) => name)]
  useLeftState(
    Object.fromEntries([...conditions, 'sorting', 'columns', 'view'].map((name) => [name, url[name]])),
  )
  const rows = useInfiniteList(list, asked)
  const isEmpty = !rows.error && !rows.isLoading && rows.totalCount === 0
  const isFiltered = conditions.some((name) => url[name] !== undefined)
  const clearFilters = () => setUrl(Object.fromEntries(conditions.map((name) => [name, undefined])))

  return (
    <Stack gap="sm">
      <Group gap="xs" align="flex-end">
        {isSearchable && (
          <SearchField
            label={label}
            value={url['filter'] ?? ''}
            onChange={(filter) => setUrl({ filter: filter || undefined })}
          />
        )}
        <FilterFields filters={filters} url={url} onChange={setUrl} isNarrow={isNarrow ?? false} />
        {!isNarrow && (
          <ColumnMenu
            columns={columns.filter(({ isFixed }) => !isFixed)}
            chosen={chosen}
            isStandard={named === undefined}
            onChange={chooseColumns}
          />
        )}
        {views && <SavedViews list={views} filters={conditions} columns={named?.split('.')} />}
        <Group gap="xs" ms="auto">
          {commands}
        </Group>
      </Group>
      {rows.error ? (
        <ErrorAlert error={rows.error} retry={rows.refetch} />
      ) : isEmpty ? (
        isFiltered || !empty ? (
          <EmptyState
            icon="search"
            title={t('NothingFound')}
            action={
              isFiltered && (
                <Button variant="default" onClick={clearFilters}>
                  {t('ClearFilters')}
                </Button>
              )
            }
          >
            {t('NothingFoundHint')}
          </EmptyState>
        ) : (
          empty
        )
      ) : (
        <Rows
          label={label}
          rows={rows}
          columns={shown}
          isTight={isNarrow === true && shown.length > 2}
          sorting={url['sorting']}
          onSort={(sorting) => setUrl({ sorting })}
          onOpen={onOpen}
          hrefOf={hrefOf}
          isOpenable={isOpenable}
          actions={actions}
          selection={selection}
        />
      )}
      {/* An empty list says so itself; a screen reader is told of the change here. */}
      <Text size="sm" c="dimmed" role="status" className={isEmpty ? 'visually-hidden' : undefined}>
        {rows.error
          ? null
          : rows.isLoading
            ? t('AbpUi::Loading')
            : isEmpty
              ? t(isFiltered || !empty ? 'NothingFound' : 'NothingYet')
              : t('RowCount', {
                  shown: formatNumber(rows.rows.length),
                  total: formatNumber(rows.totalCount),
                })}
      </Text>
    </Stack>
  )
}

/** The columns of a list that the person chose last in this browser; undefined for those that are shown at first. */
function useKeptColumns(
  list: string | undefined,
): [kept: string | undefined, keep: (ids: string | undefined) => void] {
  const { host } = useApplication()
  const key = list && `keel.columns.${host.currentUser.id}.${list}`
  const [kept, setKept] = useState(() => (key && localStorage.getItem(key)) || undefined)
  return [
    kept,
    (ids) => {
      setKept(ids)
      if (!key) return
      if (ids) localStorage.setItem(key, ids)
      else localStorage.removeItem(key)
    },
  ]
}

function SearchField({
  label,
  value,
  onChange,
}: {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}) {
  const { t } = useApplication()
  const [typed, setTyped] = useState(value)
  const report = useDebouncedCallback(onChange, 250)
  useEffect(() => setTyped(value), [value])
  return (
    <TextInput
      type="search"
      aria-label={`${t('AbpUi::PagerSearch')}: ${label}`}
      placeholder={t('AbpUi::PagerSearch')}
      leftSection={<Icon name="search" />}
      value={typed}
      maxLength={256}
      style={{ flex: '1 1 12rem', maxWidth: '22rem' }}
      onChange={(event) => {
        setTyped(event.currentTarget.value)
        report(event.currentTarget.value)
      }}
    />
  )
}

function ColumnMenu<T>({
  columns,
  chosen,
  isStandard,
  onChange,
}: {
  readonly columns: readonly Column<T>[]
  readonly chosen: readonly string[]
  /** Whether none were chosen. */
  readonly isStandard: boolean
  /** Undefined goes back to the columns that are shown at first. */
  readonly onChange: (ids: readonly string[] | undefined) => void
}) {
  const { t } = useApplication()
  return (
    <Popover position="bottom-end" withArrow trapFocus>
      <Popover.Target>
        <Button variant="default" leftSection={<Icon name="columns" />}>
          {t('Columns')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('Columns')}>
        <Stack gap="xs">
          {columns.map(({ id, title }, index) => (
            <Checkbox
              key={id}
              label={t(title)}
              checked={chosen.includes(id)}
              // The first column opens the row.
              disabled={index === 0}
              onChange={(event) => {
                const isOn = event.currentTarget.checked
                onChange(
                  columns
                    .map((column) => column.id)
                    .filter((one) => (one === id ? isOn : chosen.includes(one))),
                )
              }}
            />
          ))}
          {!isStandard && (
            <Button variant="default" size="xs" onClick={() => onChange(undefined)}>
              {t('StandardColumns')}
            </Button>
          )}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}

function Rows<T extends { readonly id: string }>({
  label,
  rows,
  columns,
  isTight,
  sorting,
  onSort,
  onOpen,
  hrefOf,
  isOpenable,
  actions,
  selection,
}: {
  readonly label: string
  readonly rows: InfiniteList<T>
  readonly columns: readonly Column<T>[]
  /** More columns than a phone has room for, unless cells take two lines. */
  readonly isTight: boolean
  readonly sorting: string | undefined
  readonly onSort: (sorting: string | undefined) => void
  readonly onOpen: ((row: T) => void) | undefined
  readonly hrefOf: ((row: T) => string) | undefined
  readonly isOpenable: ((row: T) => boolean) | undefined
  readonly actions: readonly RowAction<T>[]
  readonly selection: Selection<T> | undefined
}) {
  const box = useRef<HTMLElement>(null)
  const virtual = useVirtualizer({
    count: rows.rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  })
  const inSight = virtual.getVirtualItems()
  const last = inSight.at(-1)?.index ?? 0
  const { fetchMore } = rows
  const isNearEnd = last >= rows.rows.length - 20
  useEffect(() => {
    if (isNearEnd) fetchMore()
  })
  const width = columns.length + (actions.length ? 1 : 0) + (selection ? 1 : 0)
  const above = inSight[0]?.start ?? 0
  const below = virtual.getTotalSize() - (inSight.at(-1)?.end ?? 0)
  return (
    <section
      ref={box}
      className={`keel-list ${selection ? 'keel-list-choosing' : ''} ${isTight ? 'keel-list-tight' : ''}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by the keyboard
      tabIndex={0}
      aria-label={label}
      style={{ maxHeight: 'calc(100dvh - 260px)', minHeight: 260, opacity: rows.isStale ? 0.6 : 1 }}
    >
      <table aria-rowcount={rows.totalCount + 1}>
        <thead>
          <tr>
            {selection && <ChoiceHeading />}
            {columns.map((column) => (
              <Heading key={column.id} column={column} sorting={sorting} onSort={onSort} />
            ))}
            {actions.length > 0 && <ActionsHeading />}
          </tr>
        </thead>
        <tbody>
          {rows.isLoading && <LoadingRows width={width} />}
          {above > 0 && <Space height={above} width={width} />}
          {inSight.map(({ index, key }) => {
            const row = rows.rows[index]
            if (!row) return null
            return (
              <tr key={String(key)} data-row={row.id} aria-rowindex={index + 2}>
                {selection && (
                  <ChoiceCell
                    row={row}
                    selection={selection}
                    name={columns[0]?.text?.(row) ?? columns[0]?.cell(row)}
                  />
                )}
                {columns.map((column, place) => (
                  <td key={column.id} data-figure={column.isFigure}>
                    {place === 0 && hrefOf ? (
                      <Anchor component={Link} to={hrefOf(row) as never} size="sm" fw={550}>
                        {column.cell(row)}
                      </Anchor>
                    ) : place === 0 && onOpen && (isOpenable?.(row) ?? true) ? (
                      <Anchor component="button" type="button" size="sm" fw={550} onClick={() => onOpen(row)}>
                        {column.cell(row)}
                      </Anchor>
                    ) : isTight ? (
                      <div className="keel-lines">{column.cell(row)}</div>
                    ) : (
                      cellOf(column, row)
                    )}
                  </td>
                ))}
                {actions.length > 0 && (
                  <td data-actions>
                    <RowMenu
                      row={row}
                      actions={actions}
                      name={columns[0]?.text?.(row) ?? columns[0]?.cell(row)}
                    />
                  </td>
                )}
              </tr>
            )
          })}
          {below > 0 && <Space height={below} width={width} />}
        </tbody>
      </table>
      {rows.isFetchingMore && <Loader size="sm" m="sm" />}
    </section>
  )
}

/** A cell of a list: words that have no room in one line take two. */
export function cellOf<T>({ cell, isFigure }: Column<T>, row: T): ReactNode {
  const shown = cell(row)
  return typeof shown === 'string' && shown && !isFigure ? <div className="keel-lines">{shown}</div> : shown
}

/** The heading above {@link ChoiceCell}. */
export function ChoiceHeading() {
  const { t } = useApplication()
  return (
    <th scope="col" style={{ width: 40 }}>
      <span className="visually-hidden">{t('Choose')}</span>
    </th>
  )
}

/** The box that chooses a row. */
export function ChoiceCell<T extends { readonly id: string }>({
  row,
  selection: { isChosen, toggle, isAllowed },
  name,
}: {
  readonly row: T
  readonly selection: Selection<T>
  readonly name: ReactNode
}) {
  const { t } = useApplication()
  return (
    <td>
      <Checkbox
        size="xs"
        aria-label={t('ChooseRow', { name: typeof name === 'string' ? name : '' })}
        checked={isChosen(row)}
        disabled={!isAllowed(row)}
        onChange={() => toggle(row)}
      />
    </td>
  )
}

function ActionsHeading() {
  const { t } = useApplication()
  return (
    <th scope="col" data-actions>
      <span className="visually-hidden">{t('AbpUi::Actions')}</span>
    </th>
  )
}

function Space({ height, width }: { readonly height: number; readonly width: number }) {
  return (
    <tr>
      <td colSpan={width} style={{ height, padding: 0, border: 0 }} />
    </tr>
  )
}

function LoadingRows({ width }: { readonly width: number }) {
  return ['a', 'b', 'c', 'd', 'e'].map((key) => (
    <tr key={key}>
      <td colSpan={width}>
        <Skeleton height={14} />
      </td>
    </tr>
  ))
}

function Heading<T>({
  column,
  sorting,
  onSort,
}: {
  readonly column: Column<T>
  readonly sorting: string | undefined
  readonly onSort: (sorting: string | undefined) => void
}) {
  const { t } = useApplication()
  const [field, direction] = sorting?.split(' ') ?? []
  const isSorted = column.sort !== undefined && field === column.sort
  const isDescending = isSorted && direction?.toLowerCase() === 'desc'
  const next = !isSorted ? `${column.sort} asc` : isDescending ? undefined : `${column.sort} desc`
  const order = isSorted ? (isDescending ? 'descending' : 'ascending') : 'none'
  if (!column.sort)
    return (
      <th scope="col" data-figure={column.isFigure}>
        {t(column.title)}
      </th>
    )
  return (
    <th scope="col" aria-sort={order} data-figure={column.isFigure}>
      <Button
        variant="subtle"
        color="gray"
        size="compact-sm"
        px={4}
        mx={-4}
        c="var(--mantine-color-text)"
        fw={600}
        rightSection={isSorted ? <Icon name={isDescending ? 'down' : 'up'} size={14} /> : undefined}
        onClick={() => onSort(next)}
      >
        {t(column.title)}
      </Button>
    </th>
  )
}

/** The actions of a row, behind a button. */
export function RowMenu<T>({
  row,
  actions,
  name,
}: {
  readonly row: T
  readonly actions: readonly RowAction<T>[]
  readonly name: ReactNode
}) {
  const { t } = useApplication()
  const shown = actions.filter(({ isShown }) => isShown?.(row) ?? true)
  if (shown.length === 0) return null
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`${t('AbpUi::Actions')}: ${typeof name === 'string' ? name : ''}`}
        >
          <Icon name="dots" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {shown.map(({ title, icon, run, isDangerous }) => (
          <Menu.Item
            key={title}
            color={isDangerous ? 'red' : undefined}
            leftSection={<Icon name={icon} />}
            onClick={() => run(row)}
          >
            {t(title)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
