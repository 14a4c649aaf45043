import './sheet.css'
import { Button, Group, Text } from '@mantine/core'
import { type ClipboardEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useApplication } from '../application.js'
import { Icon } from './icons.js'
import { RemoveButton } from './remove-button.js'

/** A column of a sheet. */
export interface SheetColumn {
  readonly id: string
  /** The key of its heading. */
  readonly title: string
  readonly kind?: 'text' | 'number' | 'flag'
  /** In characters; 8 unless given. */
  readonly width?: number
}

/** A row of a sheet: what is typed in its cells, by column; numbers are texts. */
export type SheetRow = Readonly<Record<string, string | boolean>>

/**
 * Rows that are edited like those of a spreadsheet: arrow keys, Tab and Enter move, a pasted block fills the cells from the present one on, Ctrl+Z
 * takes back a paste or a removal, Ctrl+Delete removes a row.
 */
export function Sheet({
  label,
  columns,
  rows,
  most,
  emptyRow,
  onChange,
  errorAt,
}: {
  /** What it holds, for screen readers. */
  readonly label: string
  readonly columns: readonly SheetColumn[]
  readonly rows: readonly SheetRow[]
  /** The most rows that there may be. */
  readonly most: number
  readonly emptyRow: SheetRow
  readonly onChange: (rows: readonly SheetRow[]) => void
  /** What the server said of a cell. */
  readonly errorAt: (row: number, column: string) => string | undefined
}) {
  const { t, language } = useApplication()
  const table = useRef<HTMLTableElement>(null)
  const [said, say] = useState('')
  /** The rows before each paste and removal, as long as nothing was typed since. */
  const undone = useRef<(readonly SheetRow[])[]>([])
  const wanted = useRef<string>(undefined)
  const focus = (row: number, column: number) => {
    const cell = table.current?.querySelector<HTMLElement>(`[data-cell="${row}.${column}"]`)
    if (cell) cell.focus()
    return cell !== null && cell !== undefined
  }
  useEffect(() => {
    const [row = 0, column = 0] = wanted.current?.split('.').map(Number) ?? []
    if (wanted.current !== undefined) focus(Math.min(row, rows.length - 1), column)
    wanted.current = undefined
  }, [rows])

  const replace = (next: readonly SheetRow[]) => {
    undone.current.push(rows)
    onChange(next)
  }
  const type = (row: number, column: string, value: string | boolean) => {
    undone.current = []
    onChange(rows.map((cells, at) => (at === row ? { ...cells, [column]: value } : cells)))
  }
  const add = (column = 0) => {
    if (rows.length >= most) return
    wanted.current = `${rows.length}.${column}`
    replace([...rows, emptyRow])
  }
  const remove = (row: number) => {
    wanted.current = `${row}.0`
    replace(rows.filter((_, at) => at !== row))
    say(t('Sheet:Removed', { row: row + 1 }))
  }
  const paste = (event: ClipboardEvent, row: number, column: number) => {
    const text = event.clipboardData.getData('text/plain')
    const block = blockOf(text)
    if (block.length === 1 && block[0]?.length === 1 && columns[column]?.kind !== 'number') return
    event.preventDefault()
    const next = [...rows]
    block.slice(0, most - row).forEach((cells, down) => {
      const pasted = cells.flatMap((cell, right) => {
        const { id, kind } = columns[column + right] ?? {}
        if (id === undefined) return []
        const value = kind === 'flag' ? isYes(cell, t('AbpUi::Yes')) : cell
        return [[id, kind === 'number' ? plainNumber(cell, language) : value] as const]
      })
      next[row + down] = { ...(next[row + down] ?? emptyRow), ...Object.fromEntries(pasted) }
    })
    wanted.current = `${row}.${column}`
    replace(next)
    say(t('Sheet:Pasted', { rows: Math.min(block.length, most - row) }))
  }
  const move = (event: KeyboardEvent) => {
    const cell = (event.target as HTMLElement).dataset['cell']
    if (cell === undefined) return
    const [row = 0, column = 0] = cell.split('.').map(Number)
    const isTaken = moved(event, row, column)
    if (isTaken) event.preventDefault()
  }
  /** Does what a key asks for. @returns false when the browser is to do it */
  const moved = (event: KeyboardEvent, row: number, column: number): boolean => {
    const { key, ctrlKey, metaKey, altKey, target } = event
    if (altKey) return false
    const isCommand = ctrlKey || metaKey
    if (isCommand && key.toLowerCase() === 'z' && undone.current.length) {
      wanted.current = `${row}.${column}`
      onChange(undone.current.pop() ?? rows)
      return true
    }
    if (isCommand && key === 'Delete') {
      remove(row)
      return true
    }
    if (isCommand && key === 'Enter') {
      table.current?.closest('form')?.requestSubmit()
      return true
    }
    if (isCommand) return false
    const isButton = column === columns.length
    switch (key) {
      case 'ArrowUp':
        return focus(row - 1, column)
      case 'ArrowDown':
        return focus(row + 1, column)
      case 'ArrowLeft':
        return isAtEdge(target, 'start') && focus(row, column - 1)
      case 'ArrowRight':
        return isAtEdge(target, 'end') && focus(row, column + 1)
      case 'Enter':
        if (isButton) return false
        if (!focus(row + 1, column)) add(column)
        return true
      case 'F2':
        if (target instanceof HTMLInputElement && target.type === 'text')
          target.setSelectionRange(target.value.length, target.value.length)
        return true
      default:
        return false
    }
  }

  return (
    <div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by the keyboard */}
      <section className="keel-sheet" aria-label={label} tabIndex={0}>
        <table ref={table} aria-label={label} onKeyDown={move}>
          <thead>
            <tr>
              <th scope="col" aria-label={t('Sheet:Row')}>
                #
              </th>
              {columns.map(({ id, title, kind }) => (
                <th key={id} scope="col" data-kind={kind}>
                  {t(title)}
                </th>
              ))}
              <th scope="col">
                <span className="visually-hidden">{t('AbpUi::Actions')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((cells, row) => (
              // Rows have no other identity than their place
              <tr key={row}>
                <th scope="row">{row + 1}</th>
                {columns.map((column, at) => (
                  <SheetCell
                    key={column.id}
                    column={column}
                    place={`${row}.${at}`}
                    name={t('Sheet:Cell', { column: t(column.title), row: row + 1 })}
                    value={cells[column.id]}
                    error={errorAt(row, column.id)}
                    onChange={(value) => type(row, column.id, value)}
                    onPaste={(event) => paste(event, row, at)}
                  />
                ))}
                <td className="keel-cell">
                  <RemoveButton
                    label={t('Sheet:Remove', { row: row + 1 })}
                    tabIndex={-1}
                    data-cell={`${row}.${columns.length}`}
                    onClick={() => remove(row)}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <Group mt="xs" gap="md">
        <Button
          variant="default"
          size="xs"
          leftSection={<Icon name="plus" />}
          disabled={rows.length >= most}
          onClick={() => add()}
        >
          {t('Sheet:Add')}
        </Button>
        <Text size="sm" c="dimmed" visibleFrom="sm">
          {t('Sheet:Keys')}
        </Text>
        <span className="visually-hidden" role="status">
          {said}
        </span>
      </Group>
    </div>
  )
}

function SheetCell({
  column,
  place,
  name,
  value,
  error,
  onChange,
  onPaste,
}: {
  readonly column: SheetColumn
  readonly place: string
  readonly name: string
  readonly value: string | boolean | undefined
  readonly error: string | undefined
  readonly onChange: (value: string | boolean) => void
  readonly onPaste: (event: ClipboardEvent) => void
}) {
  const errorId = error && `cell-error-${column.id}-${place}`
  const common = {
    'data-cell': place,
    'aria-label': name,
    'aria-invalid': error !== undefined,
    'aria-describedby': errorId,
    onPaste,
  }
  return (
    <td className="keel-cell" data-kind={column.kind}>
      {column.kind === 'flag' ? (
        <input
          {...common}
          type="checkbox"
          checked={value === true}
          onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        />
      ) : (
        <input
          {...common}
          type="text"
          autoComplete="off"
          inputMode={column.kind === 'number' ? 'decimal' : 'text'}
          style={{ minWidth: `${column.width ?? 8}ch` }}
          value={String(value ?? '')}
          onFocus={({ currentTarget }) => currentTarget.select()}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )}
      {error && (
        <span id={errorId} className="keel-sheet-error">
          {error}
        </span>
      )}
    </td>
  )
}

/** True when an arrow key leaves the cell: the caret stands at its edge, or all of it is selected. */
function isAtEdge(target: EventTarget, edge: 'start' | 'end'): boolean {
  if (!(target instanceof HTMLInputElement) || target.type !== 'text') return true
  const { selectionStart, selectionEnd, value } = target
  const isAllSelected = selectionStart === 0 && selectionEnd === value.length
  return (
    isAllSelected ||
    (selectionStart === selectionEnd && selectionStart === (edge === 'start' ? 0 : value.length))
  )
}

/** The cells of a block that a spreadsheet has copied: rows of lines, cells between tabs. */
function blockOf(text: string): string[][] {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => line.split('\t').map((cell) => cell.trim()))
}

/** A number as spreadsheets copy it in the language, e.g. `1.234,5` in German, with a point and without groups; other texts stay. */
function plainNumber(text: string, language: string): string {
  const ungrouped = text.replace(/[\s'’]/g, '')
  const parts = new Intl.NumberFormat(language).formatToParts(1234567.8)
  const point = parts.find(({ type }) => type === 'decimal')?.value ?? '.'
  const group = point === ',' ? '.' : ','
  const isGrouped = new RegExp(`^\\d{1,3}(\\${group}\\d{3})+(\\${point}\\d*)?$`).test(ungrouped)
  const plain = (isGrouped ? ungrouped.replaceAll(group, '') : ungrouped).replace(',', '.')
  return /^-?\d*\.?\d*$/.test(plain) ? plain : text
}

function isYes(text: string, yes: string): boolean {
  return ['1', 'x', 'true', 'yes', yes.toLowerCase()].includes(text.toLowerCase())
}

/** What is typed in a cell of numbers, as the server reads it: with a point, null when it is empty. */
export function decimalOf(cell: string | boolean | undefined): string | null {
  const text = String(cell ?? '').trim()
  return text === '' ? null : text.replace(',', '.')
}

/** {@link decimalOf} as a number; what is none stays a text, which the server refuses with its place. */
export function numberOf(cell: string | boolean | undefined): number | null {
  const text = decimalOf(cell)
  return text !== null && !Number.isNaN(Number(text)) ? Number(text) : (text as null)
}
