import { type Call, useMutation } from '@keel/react'
import { Badge, Button } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { type Translate, useTexts } from '../application.js'
import { Confirm } from './confirm.js'
import { type Column, DataList, type RowAction, type Selection } from './data-list.js'
import type { Filter } from './filters.js'
import { Icon, type IconName } from './icons.js'
import { useAct, useTell } from './notices.js'
import { PageHead } from './page-head.js'
import { EmptyState } from './states.js'
import { useUrlState } from './url-state.js'

/** How rows of a list are created, opened and deleted. */
export interface RowWork<T> {
  /** The key of the button that makes a new one; without it there is none. */
  readonly newTitle?: string | false
  /** Whether rows can be changed: it adds the action, and makes the first column a link. */
  readonly mayEdit?: boolean
  /** False for rows that have nothing to open. */
  readonly isEditable?: (row: T) => boolean
  /** The dialog for the row of an id, or for a new one: `?edit=…` in the address. */
  readonly dialog: (id: string | undefined, onClose: () => void) => ReactNode
}

/** How a row is deleted. */
export interface RowRemoval<T> {
  /** The key of the action; the server's word for "delete" unless given. */
  readonly title?: string
  readonly call: Call<[id: string], unknown>
  /** What it touches, for the question before it. */
  readonly warn: (row: T) => string
  readonly isAllowed?: (row: T) => boolean
}

/** How a row is brought back that deleting has deactivated. */
export interface RowRevival<T> {
  readonly get: Call<[id: string], T>
  // biome-ignore lint/suspicious/noExplicitAny: inputs of all lists, whose members the answer of `get` has
  readonly update: Call<[id: string, input: any], unknown>
}

/** The first columns of rows that are told apart by a code and a name. Both are shown on a phone too. */
export function codeAndName<T extends { readonly code: string }>({
  code = 'AbpUi::DisplayName:Code',
  name = 'AbpUi::DisplayName:Name',
  nameField = 'name' as keyof T & string,
}: {
  /** The keys of the headings. */
  readonly code?: string
  readonly name?: string
  /** The member that holds the name. */
  readonly nameField?: keyof T & string
} = {}): readonly Column<T>[] {
  return [
    { id: 'code', title: code, sort: 'code', isEssential: true, cell: (row) => row.code },
    { id: 'name', title: name, sort: nameField, isEssential: true, cell: (row) => String(row[nameField]) },
  ]
}

/** A page that is a list: its heading, its rows, and the dialogs to create, change and delete them. */
export function ListPage<T extends { readonly id: string }, I extends object>({
  title,
  hint,
  list,
  input,
  columns,
  work,
  removal,
  revival,
  actions = [],
  selection,
  filters: ownFilters = [],
  isSearchable,
  views,
  onOpen,
  hrefOf,
  around = (rows) => rows,
  icon,
  emptyHint,
  commands,
  above,
  children,
}: {
  /** The keys of the heading and of the line below it. */
  readonly title: string
  readonly hint: string
  readonly list: Call<[input: I], { readonly totalCount: number; readonly items: T[] }>
  readonly input?: Partial<I>
  readonly columns: readonly Column<T>[]
  readonly work?: RowWork<T>
  readonly removal?: RowRemoval<T> | false
  /** Of rows that deleting deactivates: adds a filter of the state, and an action that brings them back for those who may change rows. */
  readonly revival?: RowRevival<T>
  /** Further actions, between those to change and to delete. */
  readonly actions?: readonly RowAction<T>[]
  /** See {@link DataList}. */
  readonly selection?: Selection<T>
  readonly filters?: readonly Filter[]
  readonly isSearchable?: boolean
  readonly views?: string
  /** Opens a row when `work` does not. */
  readonly onOpen?: (row: T) => void
  /** See {@link DataList}. */
  readonly hrefOf?: (row: T) => string
  /** What stands around the list, e.g. facets. */
  readonly around?: (rows: ReactNode) => ReactNode
  readonly icon: IconName
  /** The key of what to do while there are no rows. */
  readonly emptyHint: string
  /** Buttons beside the one that makes a new row. */
  readonly commands?: ReactNode
  /** What stands between the heading and the list. */
  readonly above?: ReactNode
  /** Dialogs of the page's own actions. */
  readonly children?: ReactNode
}) {
  const t = useTexts()
  const tell = useTell()
  const [url, setUrl] = useUrlState()
  const [removed, remove] = useState<T>()
  const { run } = useMutation()
  const act = useAct()
  const filters = [...ownFilters, ...(revival ? [activeFilter(t)] : [])]
  const shownState = revival && url['isActive']
  const isOfAll = shownState === anyState
  async function revive({ get, update }: RowRevival<T>, id: string): Promise<void> {
    // Own fields that a change leaves out stay.
    const { extraProperties: _, ...row } = (await get(id)) as T & { readonly extraProperties?: unknown }
    await run(update, id, { ...row, isActive: true })
  }
  const edit = ({ id }: T) => setUrl({ edit: id }, true)
  const newRow = work?.newTitle && (
    <Button leftSection={<Icon name="plus" />} onClick={() => setUrl({ edit: 'new' }, true)}>
      {t(work.newTitle)}
    </Button>
  )
  const allActions: RowAction<T>[] = [
    ...(work?.mayEdit
      ? [
          {
            title: 'AbpUi::Edit',
            icon: 'edit',
            run: edit,
            ...(work.isEditable && { isShown: work.isEditable }),
          } as const,
        ]
      : []),
    ...actions,
    ...(revival && work?.mayEdit
      ? [
          {
            title: 'Ops:Restore',
            icon: 'refresh',
            isShown: (row: T) => !isActiveRow(row),
            run: ({ id }: T) => act(revive(revival, id), t('Restored')),
          } as const,
        ]
      : []),
    ...(removal
      ? [
          {
            title: removal.title ?? 'AbpUi::Delete',
            icon: 'trash',
            isDangerous: true,
            run: remove,
            isShown: (row: T) => !(revival && !isActiveRow(row)) && (removal.isAllowed?.(row) ?? true),
          } as const,
        ]
      : []),
  ]
  const open = onOpen ?? (work ? edit : undefined)
  return (
    <>
      <PageHead title={t(title)} hint={t(hint)}>
        {commands}
        {newRow}
      </PageHead>
      {above}
      {around(
        <DataList
          label={t(title)}
          list={list}
          columns={isOfAll ? [...columns, stateColumn(t)] : columns}
          actions={allActions}
          {...(input && { input })}
          {...(selection && { selection })}
          filters={filters}
          {...(isSearchable !== undefined && { isSearchable })}
          {...(views && { views })}
          {...(open && { onOpen: open })}
          {...(hrefOf && { hrefOf })}
          {...(work?.isEditable && { isOpenable: work.isEditable })}
          empty={
            <EmptyState icon={icon} title={t('NothingYet')} action={newRow}>
              {t(emptyHint)}
            </EmptyState>
          }
        />,
      )}
      {work && url['edit'] && (
        <span key={url['edit']}>
          {work.dialog(url['edit'] === 'new' ? undefined : url['edit'], () => setUrl({ edit: undefined }))}
        </span>
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
      {children}
    </>
  )
}

/** The value of {@link activeFilter} for rows of both states. */
export const anyState = 'any'

/** Finds active rows, deactivated ones, or both, which a list gives that is not asked unless active rows are the initial ones. */
export function activeFilter(t: Translate, initial: 'true' | typeof anyState = 'true'): Filter {
  return {
    name: 'isActive',
    title: 'State',
    kind: 'flag',
    initial,
    options: [
      { value: 'true', label: t('Active') },
      { value: 'false', label: t('Inactive') },
      { value: anyState, label: t('AnyState') },
    ],
    toInput: (state) => (state === anyState ? { includeInactive: true } : { isActive: state === 'true' }),
  }
}

/** False for a row that deleting deactivated. */
function isActiveRow(row: object): boolean {
  return (row as { readonly isActive?: boolean }).isActive !== false
}

/** Tells active rows from deactivated ones where a list holds both. */
function stateColumn<T extends object>(t: Translate): Column<T> {
  return {
    id: 'state',
    title: 'State',
    sort: 'isActive',
    isEssential: true,
    isFixed: true,
    cell: (row) => (
      <Badge variant="light" color={isActiveRow(row) ? 'teal' : 'gray'}>
        {t(isActiveRow(row) ? 'Active' : 'Inactive')}
      </Badge>
    ),
  }
}
