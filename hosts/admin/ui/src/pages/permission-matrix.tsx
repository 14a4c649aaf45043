import '../styles-of-fields.js'
import { mostMatrixRoles } from '@keel/platform-proxy'
import { useQuery } from '@keel/react'
import { Group, Loader, MultiSelect, Stack, Text, TextInput } from '@mantine/core'
import { useVirtualizer } from '@tanstack/react-virtual'
import { memo, useMemo, useRef } from 'react'
import { useApplication } from '../application.js'
import { platform } from '../clients.js'
import { Icon } from '../parts/icons.js'
import { PageHead } from '../parts/page-head.js'
import { roleMatrix } from '../parts/role-matrix.js'
import { EmptyState, ErrorAlert } from '../parts/states.js'
import { useUrlState } from '../parts/url-state.js'

const rowHeight = 38

/** All permissions against the roles: who grants, who inherits, who prohibits. */
export function Page() {
  const { t } = useApplication()
  const [url, setUrl] = useUrlState()
  const roles = useQuery(platform.identity.roles.getAllList)
  const all = roles.data?.items.map(({ name }) => name) ?? []
  const chosen = useMemo(() => url['roles']?.split(','), [url['roles']])
  const matrix = useQuery(roleMatrix.get, chosen ? { roleNames: chosen } : {})
  const error = roles.error ?? matrix.error
  const words = (url['filter'] ?? '').trim().toLowerCase()
  const shown = useMemo(
    () => matrix.data && shownOf(matrix.data, chosen, words),
    [matrix.data, chosen, words],
  )
  return (
    <Stack gap="sm">
      <PageHead title={t('PermissionMatrix')} hint={t('PermissionMatrixHint')} />
      <Group gap="xs" align="flex-start">
        <TextInput
          type="search"
          aria-label={t('SearchPermissions')}
          placeholder={t('SearchPermissions')}
          leftSection={<Icon name="search" />}
          value={url['filter'] ?? ''}
          onChange={(event) => setUrl({ filter: event.currentTarget.value || undefined })}
          style={{ flex: '1 1 14rem', maxWidth: '22rem' }}
        />
        <MultiSelect
          aria-label={t('AbpIdentity::Roles')}
          placeholder={chosen ? '' : t('AnyRole')}
          data={all}
          value={chosen?.filter((name) => all.includes(name)) ?? []}
          onChange={(names) => setUrl({ roles: names.join(',') || undefined })}
          searchable
          clearable
          maxValues={mostMatrixRoles}
          style={{ flex: '1 1 18rem', maxWidth: '40rem' }}
        />
      </Group>
      <Legend />
      {matrix.data?.isCut && (
        <Text size="sm" c="dimmed">
          {t('PermissionMatrixCut')}
        </Text>
      )}
      {error && <ErrorAlert error={error} />}
      {!shown && !error && <Loader aria-label={t('AbpUi::Loading')} />}
      {shown && shown.rows.length === 0 && <EmptyState icon="search" title={t('NothingFound')} />}
      {shown && shown.rows.length > 0 && <Matrix {...shown} />}
    </Stack>
  )
}

type Told = Awaited<ReturnType<typeof roleMatrix.get>>

/** How a role stands to a permission. */
interface Standing {
  readonly is: 'granted' | 'inherited' | 'prohibited'
  /** The roles that it comes from, when it is inherited. */
  readonly through?: readonly string[]
}

interface MatrixRow {
  readonly name: string
  readonly text: string
  readonly group: string
  readonly isChild: boolean
  /** One for each shown role. */
  readonly cells: readonly (Standing | undefined)[]
}

interface ShownMatrix {
  readonly roles: readonly string[]
  readonly rows: readonly MatrixRow[]
}

/** The columns that are chosen, and the rows that have all of the words. */
function shownOf({ roles, groups }: Told, chosen: readonly string[] | undefined, words: string): ShownMatrix {
  const places = roles.flatMap(({ name }, place) => (!chosen || chosen.includes(name) ? [place] : []))
  const rows = groups.flatMap((group) =>
    group.permissions
      .filter(({ name, displayName }) =>
        `${group.displayName} ${displayName} ${name}`.toLowerCase().includes(words),
      )
      .map((permission) => ({
        name: permission.name,
        text: permission.displayName,
        group: group.displayName,
        isChild: permission.parentName !== null,
        cells: places.map((place) => standingOf(roles, permission, place)),
      })),
  )
  return { roles: places.flatMap((place) => roles[place]?.name ?? []), rows }
}

function standingOf(
  roles: Told['roles'],
  { holders, grantedBy, prohibitedBy }: Told['groups'][number]['permissions'][number],
  place: number,
): Standing | undefined {
  const inherits = roles[place]?.inherits ?? []
  if (!holders.includes(place))
    return [place, ...inherits].some((one) => prohibitedBy.includes(one)) ? { is: 'prohibited' } : undefined
  if (grantedBy.includes(place)) return { is: 'granted' }
  const through = inherits.filter((one) => grantedBy.includes(one)).flatMap((one) => roles[one]?.name ?? [])
  return { is: 'inherited', through }
}

function Matrix({ roles, rows }: ShownMatrix) {
  const { t } = useApplication()
  const box = useRef<HTMLElement>(null)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: 15,
  })
  const inSight = virtual.getVirtualItems()
  const above = inSight[0]?.start ?? 0
  const below = virtual.getTotalSize() - (inSight.at(-1)?.end ?? 0)
  return (
    <section
      ref={box}
      className="keel-list keel-matrix"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by the keyboard
      tabIndex={0}
      aria-label={t('PermissionMatrix')}
      style={{ maxHeight: 'calc(100dvh - 300px)', minHeight: 260 }}
    >
      <table aria-rowcount={rows.length + 1}>
        <thead>
          <tr>
            <th scope="col">{t('AbpUi::DisplayName:PermissionName')}</th>
            {roles.map((role) => (
              <th key={role} scope="col" style={{ textAlign: 'center' }}>
                {role}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {above > 0 && <Gap height={above} width={roles.length + 1} />}
          {inSight.map(({ index }) => {
            const row = rows[index]
            return row && <Row key={row.name} row={row} index={index} roles={roles} />
          })}
          {below > 0 && <Gap height={below} width={roles.length + 1} />}
        </tbody>
      </table>
    </section>
  )
}

function Gap({ height, width }: { readonly height: number; readonly width: number }) {
  return (
    <tr>
      <td colSpan={width} style={{ height, padding: 0, border: 0 }} />
    </tr>
  )
}

/** Rows that stay in sight while the list scrolls are not drawn again. */
const Row = memo(function Row({
  row,
  index,
  roles,
}: {
  readonly row: MatrixRow
  readonly index: number
  readonly roles: readonly string[]
}) {
  return (
    <tr data-row={row.name} aria-rowindex={index + 2}>
      <td style={{ height: rowHeight, paddingInlineStart: row.isChild ? 28 : 12 }} title={row.name}>
        {row.text}{' '}
        <Text span size="xs" c="dimmed">
          {row.group}
        </Text>
      </td>
      {roles.map((role, place) => (
        <td key={role} style={{ height: rowHeight, textAlign: 'center' }}>
          <Cell standing={row.cells[place]} />
        </td>
      ))}
    </tr>
  )
})

/** The words of a cell are for screen readers and the pointer; the sign is for the eyes. */
function Cell({ standing }: { readonly standing: Standing | undefined }) {
  const { t } = useApplication()
  const { sign, colour } = signs[standing?.is ?? 'none']
  const words =
    standing?.is === 'inherited'
      ? t('Through', { name: standing.through?.join(', ') ?? '' })
      : t(`AbpPermissionManagement::Enum:PermissionAnswer.${answers[standing?.is ?? 'none']}`)
  return (
    <span title={words} style={{ color: colour }}>
      <span aria-hidden="true">{sign}</span>
      <span className="visually-hidden">{words}</span>
    </span>
  )
}

const signs = {
  none: { sign: '', colour: undefined },
  granted: { sign: '●', colour: 'var(--mantine-color-anchor)' },
  inherited: { sign: '○', colour: 'var(--mantine-color-anchor)' },
  prohibited: { sign: '✕', colour: 'var(--mantine-color-error)' },
} as const

/** The numbers of `PermissionAnswer`, for its texts. */
const answers = { none: 0, granted: 1, prohibited: 2 } as const

function Legend() {
  const { t } = useApplication()
  return (
    <Group gap="md">
      {(
        [
          [signs.granted.sign, 'AbpPermissionManagement::Enum:PermissionAnswer.1'],
          [signs.inherited.sign, 'Inherited'],
          [signs.prohibited.sign, 'AbpPermissionManagement::Enum:PermissionAnswer.2'],
        ] as const
      ).map(([sign, key]) => (
        <Text key={key} size="sm" c="dimmed">
          {sign} {t(key)}
        </Text>
      ))}
    </Group>
  )
}
