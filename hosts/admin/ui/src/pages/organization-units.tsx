import { OrganizationUnitPermissions, type OrganizationUnitWithDetailsDto } from '@keel/platform-proxy'
import { type Call, useMutation, useQuery, useQueryWhen } from '@keel/react'
import {
  ActionIcon,
  Box,
  Button,
  Card,
  Group,
  Menu,
  Select,
  SimpleGrid,
  Skeleton,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { useState } from 'react'
import { useApplication } from '../application.js'
import { platform } from '../clients.js'
import { Confirm, type Question, useQuestion } from '../parts/confirm.js'
import { Dialog } from '../parts/dialog.js'
import { ConflictDialog, FormBody, useForm } from '../parts/form.js'
import { Icon } from '../parts/icons.js'
import { MoveDialog } from '../parts/move-dialog.js'
import { useTell } from '../parts/notices.js'
import { PageHead } from '../parts/page-head.js'
import { EmptyState, ErrorAlert } from '../parts/states.js'
import { useUrlState } from '../parts/url-state.js'

type Unit = InstanceType<typeof OrganizationUnitWithDetailsDto>
type Asked =
  | { readonly kind: 'new'; readonly parent: Unit | undefined }
  | { readonly kind: 'rename' | 'move' | 'move-users' | 'delete'; readonly unit: Unit }

/** The tree of the organization: members of a unit hold its roles. */
export function Page() {
  const { t, may, formatNumber } = useApplication()
  const [url, setUrl] = useUrlState()
  const [asked, ask] = useState<Asked>()
  const { organizationUnits } = platform.identity
  const list = useQuery(organizationUnits.getListAll)
  const units = [...(list.data?.items ?? [])].sort((a, b) => a.code.localeCompare(b.code))
  const chosen = units.find(({ id }) => id === url['unit'])
  const mayChange = may(OrganizationUnitPermissions.ManageTree)
  const { run } = useMutation(platform.identity.users.getList)
  const tell = useTell()
  const close = () => ask(undefined)
  const below = (unit: Unit) => units.filter(({ code }) => code.startsWith(`${unit.code}.`))
  const newUnit = mayChange && (
    <Button leftSection={<Icon name="plus" />} onClick={() => ask({ kind: 'new', parent: undefined })}>
      {t('NewUnit')}
    </Button>
  )
  return (
    <>
      <PageHead title={t('AbpIdentity::OrganizationUnits')} hint={t('UnitsHint')}>
        {newUnit}
      </PageHead>
      {list.error && <ErrorAlert error={list.error} retry={() => void list.refetch()} />}
      {list.isPending && <Skeleton height={240} />}
      {list.data && units.length === 0 && (
        <EmptyState icon="tree" title={t('NoUnits')} action={newUnit}>
          {t('NoUnitsHint')}
        </EmptyState>
      )}
      {units.length > 0 && (
        <SimpleGrid cols={{ base: 1, md: 2 }}>
          <Card withBorder padding="xs">
            {units.map((unit) => (
              <Group
                key={unit.id}
                wrap="nowrap"
                gap={4}
                ps={(unit.code.split('.').length - 1) * 22}
                style={{
                  borderRadius: 8,
                  background: unit.id === chosen?.id ? 'var(--mantine-primary-color-light)' : undefined,
                }}
              >
                <Button
                  variant="subtle"
                  color="gray"
                  justify="flex-start"
                  c="var(--mantine-color-text)"
                  style={{ flex: 1 }}
                  aria-pressed={unit.id === chosen?.id}
                  onClick={() => setUrl({ unit: unit.id })}
                >
                  {unit.displayName}
                </Button>
                <Text size="xs" c="dimmed">
                  {t('UnitFigures', { users: unit.userCount, roles: unit.roles.length })}
                </Text>
                {mayChange && (
                  <Menu position="bottom-end">
                    <Menu.Target>
                      <ActionIcon
                        variant="subtle"
                        color="gray"
                        aria-label={`${t('AbpUi::Actions')}: ${unit.displayName}`}
                      >
                        <Icon name="dots" />
                      </ActionIcon>
                    </Menu.Target>
                    <Menu.Dropdown>
                      <Menu.Item
                        leftSection={<Icon name="plus" />}
                        onClick={() => ask({ kind: 'new', parent: unit })}
                      >
                        {t('NewUnitBelow')}
                      </Menu.Item>
                      <Menu.Item
                        leftSection={<Icon name="edit" />}
                        onClick={() => ask({ kind: 'rename', unit })}
                      >
                        {t('Rename')}
                      </Menu.Item>
                      <Menu.Item
                        leftSection={<Icon name="right" />}
                        onClick={() => ask({ kind: 'move', unit })}
                      >
                        {t('Move')}
                      </Menu.Item>
                      {unit.userCount > 0 && may(OrganizationUnitPermissions.ManageMembers) && (
                        <Menu.Item
                          leftSection={<Icon name="users" />}
                          onClick={() => ask({ kind: 'move-users', unit })}
                        >
                          {t('MoveUsers')}
                        </Menu.Item>
                      )}
                      <Menu.Item
                        color="red"
                        leftSection={<Icon name="trash" />}
                        onClick={() => ask({ kind: 'delete', unit })}
                      >
                        {t('AbpUi::Delete')}
                      </Menu.Item>
                    </Menu.Dropdown>
                  </Menu>
                )}
              </Group>
            ))}
          </Card>
          {chosen ? (
            <UnitDetails key={chosen.id} unit={chosen} />
          ) : (
            <EmptyState icon="tree" title={t('ChooseUnit')}>
              {t('ChooseUnitHint')}
            </EmptyState>
          )}
        </SimpleGrid>
      )}
      {asked?.kind === 'new' && <NameDialog parent={asked.parent} onClose={close} />}
      {asked?.kind === 'rename' && <NameDialog unit={asked.unit} onClose={close} />}
      {asked?.kind === 'move' && (
        <MoveDialog
          title={asked.unit.displayName}
          action="Move"
          label="Below"
          nowhere="AtTheTop"
          targets={optionsOf(units.filter((one) => one !== asked.unit && !below(asked.unit).includes(one)))}
          current={asked.unit.parentId}
          onMove={(newParentId) => run(organizationUnits.move, asked.unit.id, { newParentId })}
          onClose={close}
        />
      )}
      {asked?.kind === 'move-users' && (
        <MoveDialog
          title={asked.unit.displayName}
          action="MoveUsers"
          hint={t('MoveUnitUsersHint', {
            name: asked.unit.displayName,
            count: formatNumber(asked.unit.userCount),
          })}
          nowhereHint={t('MoveUnitUsersNowhereHint', {
            name: asked.unit.displayName,
            count: formatNumber(asked.unit.userCount),
          })}
          label="MoveUnitUsersTo"
          nowhere="NoUnit"
          targets={optionsOf(units.filter((one) => one !== asked.unit))}
          onMove={async (to) => {
            await run(organizationUnits.moveAllUsers, asked.unit.id, to)
            tell(t('AbpUi::SavedSuccessfully'))
          }}
          onClose={close}
        />
      )}
      {asked?.kind === 'delete' && (
        <Confirm
          title={`${t('AbpUi::Delete')}: ${asked.unit.displayName}`}
          action={t('AbpUi::Delete')}
          onConfirm={async () => {
            await run(organizationUnits.delete, asked.unit.id)
            tell(t('AbpUi::DeletedSuccessfully'))
          }}
          onClose={close}
        >
          {t('DeleteUnitHint', {
            name: asked.unit.displayName,
            units: below(asked.unit).length,
            users: [asked.unit, ...below(asked.unit)].reduce((sum, { userCount }) => sum + userCount, 0),
          })}
        </Confirm>
      )}
    </>
  )
}

/** A new unit below `parent`, or another name for `unit`. */
function NameDialog({
  unit,
  parent,
  onClose,
}: {
  readonly unit?: Unit
  readonly parent?: Unit | undefined
  readonly onClose: () => void
}) {
  const { t } = useApplication()
  const { organizationUnits } = platform.identity
  const tell = useTell()
  const { run } = useMutation(platform.identity.users.getList)
  const form = useForm({
    draft: `unit:${unit?.id ?? `below-${parent?.id}`}`,
    initial: valuesOf(unit),
    fieldOfCode: { DuplicateOrganizationUnitName: 'displayName', '010004': 'displayName' },
    async save({ displayName, concurrencyStamp }) {
      if (unit) await run(organizationUnits.update, unit.id, { displayName, concurrencyStamp })
      else await run(organizationUnits.create, { displayName, parentId: parent?.id })
      tell(t('AbpUi::SavedSuccessfully'))
      onClose()
    },
  })
  const title = unit
    ? `${t('Rename')}: ${unit.displayName}`
    : parent
      ? `${t('NewUnitBelow')}: ${parent.displayName}`
      : t('NewUnit')
  return (
    <Dialog title={title} onClose={onClose}>
      <FormBody form={form} onCancel={onClose}>
        <TextInput
          label={t('AbpUi::DisplayName:Name')}
          required
          data-autofocus
          {...form.text('displayName')}
        />
      </FormBody>
      {unit && (
        <ConflictDialog
          form={form}
          loadTheirs={async () => valuesOf(await organizationUnits.get(unit.id))}
          titles={{ displayName: t('AbpUi::DisplayName:Name') }}
        />
      )}
    </Dialog>
  )
}

function valuesOf(unit?: { readonly displayName: string; readonly concurrencyStamp: string }) {
  return { displayName: unit?.displayName ?? '', concurrencyStamp: unit?.concurrencyStamp ?? '' }
}

function optionsOf(units: readonly Unit[]) {
  return units.map(({ id, displayName }) => ({ value: id, label: displayName }))
}

function UnitDetails({ unit }: { readonly unit: Unit }) {
  const { t, may } = useApplication()
  const { organizationUnits } = platform.identity
  return (
    <Stack>
      <Card withBorder>
        <Side
          title={t('AbpIdentity::DisplayName:Members')}
          empty={t('NoMembers')}
          unit={unit}
          held={organizationUnits.getMembers}
          available={organizationUnits.getAvailableUsers}
          nameOf={(user) => user.userName}
          add={(run, id) => run(organizationUnits.addMembers, unit.id, { userIds: [id] })}
          remove={(run, { id, userName }) => ({
            action: t('Remove'),
            words: t('RemoveUnitMemberHint', { name: userName, unit: unit.displayName }),
            run: () => run(organizationUnits.removeMember, unit.id, id),
          })}
          mayChange={may(OrganizationUnitPermissions.ManageMembers)}
        />
      </Card>
      <Card withBorder>
        <Side
          title={t('AbpIdentity::Roles')}
          empty={t('NoUnitRoles')}
          unit={unit}
          held={organizationUnits.getRoles}
          available={organizationUnits.getAvailableRoles}
          nameOf={(role) => role.name}
          add={(run, id) => run(organizationUnits.addRoles, unit.id, { roleIds: [id] })}
          remove={(run, { id, name }) => ({
            action: t('Remove'),
            words: t('RemoveUnitRoleHint', { name, unit: unit.displayName, count: unit.userCount }),
            run: () => run(organizationUnits.removeRole, unit.id, id),
          })}
          mayChange={may(OrganizationUnitPermissions.ManageRoles)}
        />
      </Card>
    </Stack>
  )
}

type Run = ReturnType<typeof useMutation>['run']
type Paged<T> = Call<
  [id: string, input: { filter?: string; maxResultCount?: number }],
  { totalCount: number; items: T[] }
>

/** What a unit has of one kind, and a field to add another. */
function Side<T extends { readonly id: string }>({
  title,
  empty,
  unit,
  held,
  available,
  nameOf,
  add,
  remove,
  mayChange,
}: {
  readonly title: string
  readonly empty: string
  readonly unit: Unit
  readonly held: Paged<T>
  readonly available: Paged<T>
  readonly nameOf: (one: T) => string
  readonly add: (run: Run, id: string) => Promise<unknown>
  /** What is asked before one is taken away. */
  readonly remove: (run: Run, one: T) => Question
  readonly mayChange: boolean
}) {
  const { t } = useApplication()
  const tell = useTell()
  const { run } = useMutation(platform.identity.users.getList)
  const { ask, question } = useQuestion()
  const [typed, setTyped] = useState('')
  const list = useQuery(held, unit.id, { maxResultCount: 200 })
  const offered = useQueryWhen(mayChange, available, unit.id, { filter: typed, maxResultCount: 30 })
  const change = (work: Promise<unknown>) => void work.catch((error: Error) => tell(error.message, true))
  return (
    <Stack gap="xs">
      <Title order={2}>{title}</Title>
      {mayChange && (
        <Select
          aria-label={`${t('Add')}: ${title}`}
          placeholder={t('Add')}
          leftSection={<Icon name="plus" />}
          searchable
          data={offered.data?.items.map((one) => ({ value: one.id, label: nameOf(one) })) ?? []}
          value={null}
          searchValue={typed}
          onSearchChange={setTyped}
          filter={({ options }) => options}
          onChange={(id) => {
            if (!id) return
            setTyped('')
            change(add(run, id))
          }}
          nothingFoundMessage={t('NothingFound')}
        />
      )}
      {list.error && <ErrorAlert error={list.error} />}
      {list.data?.items.length === 0 && (
        <Text size="sm" c="dimmed">
          {empty}
        </Text>
      )}
      <Box>
        {list.data?.items.map((one) => (
          <Group key={one.id} justify="space-between" wrap="nowrap">
            <Text size="sm">{nameOf(one)}</Text>
            {mayChange && (
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={`${t('Remove')}: ${nameOf(one)}`}
                onClick={() => ask(remove(run, one))}
              >
                <Icon name="close" size={14} />
              </ActionIcon>
            )}
          </Group>
        ))}
      </Box>
      {question}
    </Stack>
  )
}
