import '@mantine/core/styles/FloatingIndicator.css'
import '@mantine/core/styles/SegmentedControl.css'
import { useMutation, useQuery, useQueryWhen } from '@keel/react'
import {
  ActionIcon,
  Alert,
  Badge,
  Box,
  Button,
  Checkbox,
  Group,
  NativeSelect,
  NavLink,
  ScrollArea,
  SegmentedControl,
  Skeleton,
  Stack,
  Text,
  TextInput,
  Tooltip,
} from '@mantine/core'
import { useMemo, useState } from 'react'
import { useApplication } from '../application.js'
import { platform } from '../clients.js'
import { Dialog } from './dialog.js'
import { forgetDraft, readDraft, useKeptDraft } from './drafts.js'
import { GrantsFile } from './grants-file.js'
import { Icon } from './icons.js'
import { useHeldLayer } from './layer.js'
import { useTell } from './notices.js'
import { type Answer, type Changes, type ListedPermission, PermissionTree } from './permission-tree.js'
import { roleMatrix } from './role-matrix.js'
import { EmptyState, ErrorAlert } from './states.js'

type Shown = 'all' | 'granted' | 'changed'
/** What is kept of changes that are not saved yet. */
interface Draft {
  readonly changes: readonly (readonly [name: string, answer: Answer])[]
}

/**
 * What a user, role or API key may do: each permission granted, prohibited or neither, and through what else the holder has it. The server is
 * asked for the effects before anything is saved.
 */
export function PermissionsDialog({
  providerName,
  providerKey,
  onClose,
}: {
  readonly providerName: 'U' | 'R' | 'AK' | 'C'
  readonly providerKey: string
  readonly onClose: () => void
}) {
  const { t } = useApplication()
  const list = useQuery(platform.permissions.grants.get, providerName, providerKey)
  const tree = useMemo(
    () => list.data && new PermissionTree(list.data, providerName, providerKey),
    [list.data, providerName, providerKey],
  )
  const name = list.data?.entityDisplayName ?? ''
  return (
    <Dialog size="page" title={`${t('AbpIdentity::Permissions')}: ${name}`} onClose={onClose}>
      {list.error && <ErrorAlert error={list.error} retry={() => void list.refetch()} />}
      {!tree && !list.error && <Skeleton height={320} />}
      {tree && <Editor tree={tree} providerName={providerName} providerKey={providerKey} onClose={onClose} />}
    </Dialog>
  )
}

function Editor({
  tree,
  providerName,
  providerKey,
  onClose,
}: {
  readonly tree: PermissionTree
  readonly providerName: string
  readonly providerKey: string
  readonly onClose: () => void
}) {
  const { t } = useApplication()
  const { groups } = tree.list
  const draft = `permissions:${providerName}:${providerKey}`
  const [changes, setChanges] = useState(() => tree.stillChanges(readDraft<Draft>(draft).changes ?? []))
  const kept = useMemo((): Draft => ({ changes: [...changes] }), [changes])
  useKeptDraft(draft, changes.size > 0, kept)
  const [groupName, setGroupName] = useState(groups[0]?.name ?? '')
  const [search, setSearch] = useState('')
  const [shown, setShown] = useState<Shown>('all')
  const [isReviewing, setReviewing] = useState(false)
  const words = search.trim().toLowerCase()
  const isAcross = words !== '' || shown === 'changed'
  const matches = (permission: ListedPermission) =>
    (words === '' || `${permission.displayName} ${permission.name}`.toLowerCase().includes(words)) &&
    (shown === 'all' || (shown === 'changed' ? changes.has(permission.name) : permission.isGranted))
  const inSight = groups
    .filter(({ name }) => isAcross || name === groupName)
    .map((group) => ({ ...group, permissions: group.permissions.filter(matches) }))
    .filter(({ permissions }) => permissions.length > 0)
  const openGroup = (name: string) => {
    setGroupName(name)
    setSearch('')
    setShown('all')
  }
  const countOf = (permissions: readonly ListedPermission[]) =>
    `${permissions.filter((one) => tree.answer(one, changes) === 'granted').length}/${permissions.length}`

  if (isReviewing)
    return (
      <Review
        tree={tree}
        changes={changes}
        providerName={providerName}
        providerKey={providerKey}
        onBack={() => setReviewing(false)}
        onSaved={() => {
          forgetDraft(draft)
          onClose()
        }}
      />
    )
  return (
    <Stack gap="sm">
      <Group gap="xs">
        <TextInput
          type="search"
          aria-label={t('SearchPermissions')}
          placeholder={t('SearchPermissions')}
          leftSection={<Icon name="search" />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          style={{ flex: '1 1 14rem' }}
          data-autofocus
        />
        <SegmentedControl
          aria-label={t('WhichPermissions')}
          value={shown}
          onChange={(value) => setShown(value as Shown)}
          data={[
            { value: 'all', label: t('AbpPermissionManagement::All') },
            { value: 'granted', label: t('Held') },
            { value: 'changed', label: t('Changed', { count: changes.size }) },
          ]}
        />
      </Group>
      <NativeSelect
        hiddenFrom="sm"
        aria-label={t('AbpPermissionManagement::PermissionGroup')}
        value={isAcross ? '' : groupName}
        onChange={(event) => openGroup(event.currentTarget.value)}
        data={[
          ...(isAcross ? [{ value: '', label: t('AbpPermissionManagement::All') }] : []),
          ...groups.map(({ name, displayName }) => ({ value: name, label: displayName })),
        ]}
      />
      <Group align="stretch" wrap="nowrap" gap="md">
        <ScrollArea.Autosize
          mah="55dvh"
          w={230}
          visibleFrom="sm"
          viewportProps={{
            tabIndex: 0,
            'aria-label': t('AbpPermissionManagement::PermissionGroup'),
            role: 'group',
          }}
        >
          {groups.map(({ name, displayName, permissions }) => (
            <NavLink
              key={name}
              component="button"
              type="button"
              label={displayName}
              active={!isAcross && name === groupName}
              aria-current={!isAcross && name === groupName}
              rightSection={
                <Text size="xs" c="dimmed">
                  {countOf(permissions)}
                </Text>
              }
              style={{ borderRadius: 8 }}
              onClick={() => openGroup(name)}
            />
          ))}
        </ScrollArea.Autosize>
        <ScrollArea.Autosize
          mah="55dvh"
          style={{ flex: 1 }}
          viewportProps={{ tabIndex: 0, 'aria-label': t('AbpIdentity::Permissions'), role: 'group' }}
        >
          {inSight.length === 0 && <EmptyState icon="search" title={t('NothingFound')} />}
          {inSight.map((group) => (
            <Box key={group.name} mb="md" pe="sm">
              <GroupHead
                tree={tree}
                name={group.displayName}
                permissions={group.permissions}
                changes={changes}
                onChange={setChanges}
              />
              {group.permissions.map((permission) => (
                <PermissionRow
                  key={permission.name}
                  tree={tree}
                  permission={permission}
                  changes={changes}
                  onChange={setChanges}
                  holder={providerKey}
                />
              ))}
            </Box>
          ))}
        </ScrollArea.Autosize>
      </Group>
      <Group justify="space-between">
        <Button
          variant="subtle"
          onClick={() =>
            setChanges(
              tree.change(
                changes,
                groups
                  .flatMap(({ permissions }) => permissions)
                  .filter((one) => tree.answer(one, changes) === 'none'),
                'granted',
              ),
            )
          }
        >
          {t('AbpPermissionManagement::SelectAllInAllTabs')}
        </Button>
        <GrantsFile tree={tree} name={`${providerName}-${providerKey}`} onRead={setChanges} />
        <Group gap="xs" ms="auto">
          <Button variant="default" onClick={onClose}>
            {t('AbpUi::Cancel')}
          </Button>
          <Button disabled={changes.size === 0} onClick={() => setReviewing(true)}>
            {t('ReviewChanges', { count: changes.size })}
          </Button>
        </Group>
      </Group>
    </Stack>
  )
}

function GroupHead({
  tree,
  name,
  permissions,
  changes,
  onChange,
}: {
  readonly tree: PermissionTree
  readonly name: string
  readonly permissions: readonly ListedPermission[]
  readonly changes: Changes
  readonly onChange: (changes: Changes) => void
}) {
  const { t } = useApplication()
  const changeable = permissions.filter(
    (one) => tree.isChangeable(one) && tree.answer(one, changes) !== 'prohibited',
  )
  const granted = permissions.filter((one) => tree.answer(one, changes) === 'granted')
  const isAll = granted.length === permissions.length
  return (
    <Checkbox
      label={`${name}: ${t('AbpPermissionManagement::SelectAllInThisTab')}`}
      fw={600}
      mb={6}
      checked={isAll}
      indeterminate={!isAll && granted.length > 0}
      disabled={changeable.length === 0}
      onChange={() => onChange(tree.change(changes, changeable, isAll ? 'none' : 'granted'))}
    />
  )
}

function PermissionRow({
  tree,
  permission,
  changes,
  onChange,
  holder,
}: {
  readonly tree: PermissionTree
  readonly permission: ListedPermission
  readonly changes: Changes
  readonly onChange: (changes: Changes) => void
  readonly holder: string
}) {
  const { t } = useApplication()
  const answer = tree.answer(permission, changes)
  const children = tree.descendants(permission)
  const isPartly = answer === 'granted' && children.some((child) => tree.answer(child, changes) !== 'granted')
  const isChangeable = tree.isChangeable(permission)
  const through = permission.grantedProviders.filter(({ providerKey }) => providerKey !== holder)
  const prohibitedBy = permission.prohibitedProviders.filter(({ providerKey }) => providerKey !== holder)
  const isProhibited = answer === 'prohibited'
  return (
    <Group gap="xs" wrap="nowrap" py={3} ps={tree.depth(permission) * 24} align="flex-start">
      <Checkbox
        style={{ flex: 1 }}
        label={
          <>
            {permission.displayName}
            {changes.has(permission.name) && (
              <Text span c="var(--mantine-color-anchor)">
                {' '}
                •
              </Text>
            )}
          </>
        }
        wrapperProps={{ title: permission.name }}
        checked={answer === 'granted'}
        indeterminate={isPartly}
        disabled={!isChangeable || isProhibited}
        onChange={(event) =>
          onChange(tree.change(changes, [permission], event.currentTarget.checked ? 'granted' : 'none'))
        }
      />
      <Group gap={4} justify="flex-end">
        {through.map(({ providerName, providerKey }) => (
          <Badge
            key={providerName + providerKey}
            variant="light"
            color="teal"
            tt="none"
            c="var(--mantine-color-text)"
          >
            {t('Through', { name: providerKey })}
          </Badge>
        ))}
        {prohibitedBy.map(({ providerName, providerKey }) => (
          <Badge
            key={providerName + providerKey}
            variant="light"
            color="red"
            tt="none"
            c="var(--mantine-color-text)"
          >
            {t('ProhibitedBy', { name: providerKey })}
          </Badge>
        ))}
        {isProhibited && (
          <Badge variant="light" color="red" tt="none" c="var(--mantine-color-text)">
            {t('AbpPermissionManagement::Enum:PermissionAnswer.2')}
          </Badge>
        )}
        <Tooltip label={t(isProhibited ? 'Allow' : 'Prohibit')} withArrow>
          <ActionIcon
            variant={isProhibited ? 'light' : 'subtle'}
            color={isProhibited ? 'red' : 'gray'}
            size="sm"
            disabled={!isChangeable}
            aria-pressed={isProhibited}
            aria-label={`${t('Prohibit')}: ${permission.displayName}`}
            onClick={() => onChange(tree.change(changes, [permission], isProhibited ? 'none' : 'prohibited'))}
          >
            <Icon name="close" size={14} />
          </ActionIcon>
        </Tooltip>
      </Group>
    </Group>
  )
}

/** What the changes come to, as the server reckons, before they are saved. */
function Review({
  tree,
  changes,
  providerName,
  providerKey,
  onBack,
  onSaved,
}: {
  readonly tree: PermissionTree
  readonly changes: Changes
  readonly providerName: string
  readonly providerKey: string
  readonly onBack: () => void
  readonly onSaved: () => void
}) {
  const { t, formatNumber } = useApplication()
  const tell = useTell()
  const { run, isRunning } = useMutation(
    platform.permissions.history.getList,
    roleMatrix.get,
    platform.application.configuration.get,
  )
  useHeldLayer(isRunning)
  const [error, setError] = useState<unknown>()
  const input = tree.input(changes)
  const preview = useQueryWhen(true, platform.permissions.previews.preview, providerName, providerKey, input)
  const names = new Map(
    tree.list.groups.flatMap(({ permissions }) => permissions.map((one) => [one.name, one.displayName])),
  )
  const save = async () => {
    setError(undefined)
    try {
      await run(platform.permissions.grants.update, providerName, providerKey, input)
      tell(t('AbpUi::SavedSuccessfully'))
      onSaved()
    } catch (refusal) {
      setError(refusal)
    }
  }
  const found = preview.data
  return (
    <Stack>
      <Text>{t('ReviewHint')}</Text>
      {(error !== undefined || preview.error) && <ErrorAlert error={error ?? preview.error} />}
      {!found && !preview.error && <Skeleton height={160} />}
      {found && (
        <>
          {found.warnings.map((warning) => (
            <Alert key={warning.warning} color="orange" variant="light" role="alert">
              {warning.message} {warning.holders.map(({ displayName }) => displayName).join(', ')}
            </Alert>
          ))}
          <Difference
            title={t('Gains')}
            names={found.gains.map((name) => names.get(name) ?? name)}
            color="teal"
          />
          <Difference
            title={t('Loses')}
            names={found.loses.map((name) => names.get(name) ?? name)}
            color="red"
          />
          {found.gains.length + found.loses.length === 0 && <Text c="dimmed">{t('NoEffect')}</Text>}
          <Text size="sm">
            {t('AffectedUsers', { count: formatNumber(found.affectedUserCount) })}{' '}
            {found.affectedUsers
              .map(({ userName }) => userName)
              .slice(0, 10)
              .join(', ')}
          </Text>
        </>
      )}
      <Group justify="flex-end">
        <Button variant="default" disabled={isRunning} onClick={onBack}>
          {t('Back')}
        </Button>
        <Button loading={isRunning} disabled={!found} onClick={() => void save()}>
          {t('AbpUi::Save')}
        </Button>
      </Group>
    </Stack>
  )
}

function Difference({
  title,
  names,
  color,
}: {
  readonly title: string
  readonly names: readonly string[]
  readonly color: string
}) {
  if (names.length === 0) return null
  return (
    <Box>
      <Text size="sm" fw={600} mb={4}>
        {title} ({names.length})
      </Text>
      <Group gap={4}>
        {names.slice(0, 40).map((name) => (
          <Badge key={name} variant="light" color={color} tt="none" c="var(--mantine-color-text)">
            {name}
          </Badge>
        ))}
        {names.length > 40 && <Text size="sm">… {names.length - 40}</Text>}
      </Group>
    </Box>
  )
}
