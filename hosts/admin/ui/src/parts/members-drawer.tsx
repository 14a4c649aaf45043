import type { OrganizationMemberDto } from '@keel/hub-proxy'
import { useInfiniteList, useMutation, useQuery } from '@keel/react'
import { ActionIcon, Badge, Button, Group, Menu, Skeleton, Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useApplication } from '../application.js'
import { Confirm } from './confirm.js'
import { Dialog } from './dialog.js'
import { Drawer } from './drawer.js'
import { enumOptions, type Field, Fields, instantOf, localTime } from './fields.js'
import { ConflictDialog, FormBody, useForm } from './form.js'
import { Icon } from './icons.js'
import { MemberInvitations } from './member-invitations.js'
import { useAct, useTell } from './notices.js'
import { AccessScope, OrganizationSelect, organizationMembers, organizations } from './organizations.js'
import { EmptyState, ErrorAlert } from './states.js'

type Member = InstanceType<typeof OrganizationMemberDto>
const own = (name: string) => `Hub::DisplayName:OrganizationMember:${name}`

/** The members of an organization, beside the list. */
export function OrganizationMembers({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { t } = useApplication()
  const organization = useQuery(organizations.get, id)
  return (
    <Drawer
      onClose={onClose}
      size="lg"
      title={`${t('Hub::DisplayName:Organization:Members')}: ${organization.data?.fullName ?? '…'}`}
    >
      <Stack gap="lg">
        <Memberships
          of={{ organizationId: id }}
          nameOf={({ userName }) => userName}
          emptyHint={t('NoOrganizationMembersHint')}
        />
        <MemberInvitations organizationId={id} />
      </Stack>
    </Drawer>
  )
}

/** Memberships of an organization or of a user: to add, change and remove. */
export function Memberships({
  of,
  nameOf,
  emptyHint,
}: {
  /** One of the two. */
  readonly of: { readonly organizationId?: string; readonly userId?: string }
  /** What tells the memberships apart: the user, or the organization. */
  readonly nameOf: (member: Member) => string
  readonly emptyHint: string
}) {
  const { t, formatInstant } = useApplication()
  const [edited, edit] = useState<Member | 'new'>()
  const [removed, remove] = useState<Member>()
  const { run } = useMutation()
  const act = useAct()
  const list = useInfiniteList(organizationMembers.getList, of)
  const add: ReactNode = (
    <Button leftSection={<Icon name="plus" />} onClick={() => edit('new')}>
      {t('AddMember')}
    </Button>
  )
  if (list.error) return <ErrorAlert error={list.error} retry={list.refetch} />
  if (list.isLoading) return <Skeleton height={160} />
  return (
    <Stack>
      {list.rows.length === 0 ? (
        <EmptyState icon="users" title={t('NoMembers')} action={add}>
          {emptyHint}
        </EmptyState>
      ) : (
        <Group justify="flex-end">{add}</Group>
      )}
      {list.rows.map((member) => (
        <Group key={member.id} justify="space-between" wrap="nowrap">
          <Stack gap={0} style={{ minWidth: 0 }}>
            <Group gap="xs">
              <Text size="sm" fw={550} truncate>
                {nameOf(member)}
              </Text>
              {member.isDefault && (
                <Badge size="sm" variant="light">
                  {t('AbpUi::DisplayName:IsDefault')}
                </Badge>
              )}
              {member.validUntil && member.validUntil.getTime() <= Date.now() && (
                <Badge size="sm" variant="light" color="gray">
                  {t('Expired')}
                </Badge>
              )}
            </Group>
            <Text size="xs" c="dimmed">
              {t(`Hub::Enum:AccessScope.${member.accessScope}`)}
              {member.validUntil && ` · ${t(own('ValidUntil'))}: ${formatInstant(member.validUntil)}`}
            </Text>
          </Stack>
          <Menu position="bottom-end" width={220}>
            <Menu.Target>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={`${t('AbpUi::Actions')}: ${nameOf(member)}`}
              >
                <Icon name="dots" />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item leftSection={<Icon name="edit" />} onClick={() => edit(member)}>
                {t('AbpUi::Edit')}
              </Menu.Item>
              {!member.isDefault && (
                <Menu.Item
                  leftSection={<Icon name="check" />}
                  onClick={() =>
                    act(
                      run(organizationMembers.update, member.id, {
                        isDefault: true,
                        concurrencyStamp: member.concurrencyStamp,
                      }),
                      t('AbpUi::SavedSuccessfully'),
                    )
                  }
                >
                  {t('MakeDefault')}
                </Menu.Item>
              )}
              <Menu.Item color="red" leftSection={<Icon name="trash" />} onClick={() => remove(member)}>
                {t('Remove')}
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </Group>
      ))}
      {list.rows.length < list.totalCount && (
        <Button variant="default" loading={list.isFetchingMore} onClick={list.fetchMore}>
          {t('LoadMore')}
        </Button>
      )}
      {edited && (
        <MemberDialog
          of={of}
          member={edited === 'new' ? undefined : edited}
          onClose={() => edit(undefined)}
        />
      )}
      {removed && (
        <Confirm
          title={t('Remove')}
          action={t('Remove')}
          onConfirm={() => run(organizationMembers.delete, removed.id)}
          onClose={() => remove(undefined)}
        >
          {t('RemoveMemberHint', { user: removed.userName, organization: removed.organization.fullName })}
        </Confirm>
      )}
    </Stack>
  )
}

function valuesOf(member: Member | undefined, of: { readonly organizationId?: string }) {
  return {
    organizationId: member?.organizationId ?? of.organizationId ?? null,
    userName: member?.userName ?? '',
    accessScope: member?.accessScope ?? AccessScope.IncludeChildren,
    isDefault: member?.isDefault ?? false,
    validUntil: localTime(member?.validUntil),
    concurrencyStamp: member?.concurrencyStamp ?? '',
  }
}

function MemberDialog({
  of,
  member,
  onClose,
}: {
  readonly of: { readonly organizationId?: string; readonly userId?: string }
  readonly member: Member | undefined
  readonly onClose: () => void
}) {
  const { t } = useApplication()
  const tell = useTell()
  const { run } = useMutation()
  const form = useForm({
    draft: `member:${member?.id ?? of.organizationId ?? of.userId}`,
    initial: valuesOf(member, of),
    fieldOfCode: {
      AlreadyMember: of.userId ? 'organizationId' : 'userName',
      LastAdministrator: 'validUntil',
    },
    async save({ organizationId, userName, concurrencyStamp, validUntil, ...changeable }) {
      const input = { ...changeable, validUntil: instantOf(validUntil) }
      if (member) await run(organizationMembers.update, member.id, { ...input, concurrencyStamp })
      else
        await run(organizationMembers.create, {
          ...input,
          organizationId: organizationId ?? '',
          ...(of.userId ? { userId: of.userId } : { userName: userName || undefined }),
        })
      tell(t('AbpUi::SavedSuccessfully'))
      onClose()
    },
  })
  const fields: Field<typeof form.values>[] = [
    {
      name: 'userName',
      title: 'AbpUi::DisplayName:UserName',
      isRequired: true,
      isShown: () => !member && of.userId === undefined,
    },
    {
      name: 'accessScope',
      title: own('AccessScope'),
      kind: 'enum',
      isRequired: true,
      options: enumOptions(t, 'Hub::Enum:AccessScope', AccessScope),
    },
    { name: 'validUntil', title: own('ValidUntil'), kind: 'instant', hint: 'ValidUntilHint' },
    { name: 'isDefault', title: 'DefaultOrganization', hint: 'DefaultOrganizationHint', kind: 'check' },
  ]
  return (
    <Dialog title={member ? member.userName : t('AddMember')} onClose={onClose}>
      <FormBody form={form} onCancel={onClose}>
        {!member && of.organizationId === undefined && (
          <OrganizationSelect
            label={t('Hub::DisplayName:Organization')}
            isRequired
            value={form.values.organizationId}
            error={form.errorOf('organizationId')}
            onChange={(id) => form.set('organizationId', id)}
          />
        )}
        <Fields form={form} fields={fields} />
      </FormBody>
      {member && (
        <ConflictDialog
          form={form}
          loadTheirs={async () => valuesOf(await organizationMembers.get(member.id), of)}
          titles={{
            accessScope: t(own('AccessScope')),
            validUntil: t(own('ValidUntil')),
            isDefault: t('DefaultOrganization'),
          }}
        />
      )}
    </Dialog>
  )
}
