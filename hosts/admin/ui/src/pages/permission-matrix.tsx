import { keyOf, useQuery } from '@keel/react'
import { Group, Loader, MultiSelect, Stack, Text, TextInput } from '@mantine/core'
import { useQueries } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useMemo, useRef } from 'react'
import { useApplication } from '../application.js'
import { platform } from '../clients.js'
import { Icon } from '../parts/icons.js'
import { PageHead } from '../parts/page-head.js'
import type { ListedPermission } from '../parts/permission-tree.js'
import { EmptyState, ErrorAlert } from '../parts/states.js'
import { useUrlState } from '../parts/url-state.js'

const rowHeight = 38

/** All permissions against the roles: who grants, who inherits, who prohibits. */
export function Page() {
  const { t } = useApplication()
  const [url, setUrl] = useUrlState()
  const roles = useQuery(platform.identity.roles.getAllList)
  const all = roles.data?.items.map(({ name }) => name) ?? []
  const chosen = url['roles'] ? url['roles'].split(',').filter((name) => all.includes(name)) : all
  const { grants } = platform.permissions
  const answers = useQueries({
    queries: chosen.map((name) => ({
      queryKey: keyOf(grants.get, 'R', name),
      queryFn: () => grants.get('R', name),
      staleTime: 30_000,
    })),
  })
  const error = roles.error ?? answers.find((one) => one.error)?.error
  const isLoading = roles.isPending || answers.some(({ isPending }) => isPending)
  const words = (url['filter'] ?? '').trim().toLowerCase()
  const lists = answers.map(({ data }) => data)
  const ready = lists.every((list) => list !== undefined) ? lists : undefined
  const rows = ready?.[0]?.groups.flatMap((group) =>
    group.permissions
      .filter(({ name, displayName }) =>
        `${group.displayName} ${displayName} ${name}`.toLowerCase().includes(words),
      )
      .map((permission) => ({ group: group.displayName, permission })),
  )
  const byRole = useMemo(
    () =>
      ready?.map(
        (list) =>
          new Map(
            list?.groups.flatMap(({ permissions }) => permissions.map((one) => [one.name, one] as const)),
          ),
      ) ?? [],
    [ready],
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
          placeholder={url['roles'] ? '' : t('AnyRole')}
          data={all}
          value={url['roles'] ? chosen : []}
          onChange={(names) => setUrl({ roles: names.join(',') || undefined })}
          searchable
          clearable
          style={{ flex: '1 1 18rem', maxWidth: '40rem' }}
        />
      </Group>
      <Legend />
      {error && <ErrorAlert error={error} />}
      {isLoading && !error && <Loader aria-label={t('AbpUi::Loading')} />}
      {rows && rows.length === 0 && <EmptyState icon="search" title={t('NothingFound')} />}
      {rows && rows.length > 0 && <Matrix roles={chosen} rows={rows} byRole={byRole} />}
    </Stack>
  )
}

function Matrix({
  roles,
  rows,
  byRole,
}: {
  readonly roles: readonly string[]
  readonly rows: readonly { readonly group: string; readonly permission: ListedPermission }[]
  readonly byRole: readonly ReadonlyMap<string, ListedPermission>[]
}) {
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
          {above > 0 && (
            <tr>
              <td colSpan={roles.length + 1} style={{ height: above, padding: 0, border: 0 }} />
            </tr>
          )}
          {inSight.map(({ index }) => {
            const row = rows[index]
            if (!row) return null
            return (
              <tr key={row.permission.name} data-row={row.permission.name} aria-rowindex={index + 2}>
                <td
                  style={{ height: rowHeight, paddingInlineStart: row.permission.parentName ? 28 : 12 }}
                  title={row.permission.name}
                >
                  {row.permission.displayName}{' '}
                  <Text span size="xs" c="dimmed">
                    {row.group}
                  </Text>
                </td>
                {roles.map((role, place) => (
                  <td key={role} style={{ height: rowHeight, textAlign: 'center' }}>
                    <Cell role={role} permission={byRole[place]?.get(row.permission.name)} />
                  </td>
                ))}
              </tr>
            )
          })}
          {below > 0 && (
            <tr>
              <td colSpan={roles.length + 1} style={{ height: below, padding: 0, border: 0 }} />
            </tr>
          )}
        </tbody>
      </table>
    </section>
  )
}

/** The words of a cell are for screen readers and the pointer; the sign is for the eyes. */
function Cell({
  role,
  permission,
}: {
  readonly role: string
  readonly permission: ListedPermission | undefined
}) {
  const { t } = useApplication()
  if (!permission) return null
  const { isGranted, isProhibited, grantedProviders } = permission
  const others = grantedProviders
    .filter(({ providerKey }) => providerKey !== role)
    .map(({ providerKey }) => providerKey)
  const isOwn = grantedProviders.length > others.length
  const [sign, words, colour] = isProhibited
    ? ['✕', t('AbpPermissionManagement::Enum:PermissionAnswer.2'), 'var(--mantine-color-error)']
    : isGranted && isOwn
      ? ['●', t('AbpPermissionManagement::Enum:PermissionAnswer.1'), 'var(--mantine-color-anchor)']
      : isGranted
        ? ['○', t('Through', { name: others.join(', ') }), 'var(--mantine-color-anchor)']
        : ['', t('AbpPermissionManagement::Enum:PermissionAnswer.0'), undefined]
  return (
    <span title={words} style={{ color: colour }}>
      <span aria-hidden="true">{sign}</span>
      <span className="visually-hidden">{words}</span>
    </span>
  )
}

function Legend() {
  const { t } = useApplication()
  return (
    <Group gap="md">
      {(
        [
          ['●', 'AbpPermissionManagement::Enum:PermissionAnswer.1'],
          ['○', 'Inherited'],
          ['✕', 'AbpPermissionManagement::Enum:PermissionAnswer.2'],
        ] as const
      ).map(([sign, key]) => (
        <Text key={key} size="sm" c="dimmed">
          {sign} {t(key)}
        </Text>
      ))}
    </Group>
  )
}
