import { type IdentityRoleDto, IdentityRolePermissions } from '@keel/platform-proxy'
import { useMutation, useQueryWhen } from '@keel/react'
import { Badge, Button, Checkbox, Group, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useApplication } from '../application.js'
import { platform } from '../clients.js'
import { ClaimsDialog } from '../parts/claims-dialog.js'
import { Confirm } from '../parts/confirm.js'
import { type Column, DataList, type RowAction } from '../parts/data-list.js'
import { Dialog } from '../parts/dialog.js'
import { Fields } from '../parts/fields.js'
import { ConflictDialog, FormBody, useForm } from '../parts/form.js'
import { Icon } from '../parts/icons.js'
import { MoveDialog } from '../parts/move-dialog.js'
import { useTell } from '../parts/notices.js'
import { useOwnFields } from '../parts/own-fields.js'
import { PageHead } from '../parts/page-head.js'
import { PermissionsDialog } from '../parts/permissions-dialog.js'
import { EmptyState, ErrorAlert } from '../parts/states.js'
import { useUrlState } from '../parts/url-state.js'

type Role = InstanceType<typeof IdentityRoleDto>
type Asked = { readonly kind: 'delete' | 'move' | 'claims'; readonly role: Role }

/** Roles: who holds them, what they inherit from, and what they may do. */
export function Page() {
  const { t, may, formatNumber } = useApplication()
  const [url, setUrl] = useUrlState()
  const [asked, ask] = useState<Asked>()
  const { roles } = platform.identity
  const tell = useTell()
  const { run } = useMutation(platform.identity.users.getList)
  const mayChange = may(IdentityRolePermissions.Update)
  const all = useQueryWhen(asked?.kind === 'move', roles.getAllList)
  const columns: Column<Role>[] = [
    {
      id: 'name',
      title: 'AbpIdentity::RoleName',
      sort: 'name',
      isEssential: true,
      cell: ({ name }) => name,
    },
    { id: 'parents', title: 'InheritsFrom', cell: ({ parentNames }) => parentNames.join(', ') || '–' },
    {
      id: 'users',
      title: 'AbpIdentity::Users',
      isEssential: true,
      isFigure: true,
      cell: ({ userCount }) => formatNumber(userCount),
    },
    { id: 'kind', title: 'Kind', cell: (role) => <Marks role={role} /> },
  ]
  const actions: RowAction<Role>[] = [
    {
      title: 'AbpUi::Edit',
      icon: 'edit',
      isShown: () => mayChange,
      run: ({ id }) => setUrl({ edit: id }, true),
    },
    {
      title: 'AbpIdentity::Permissions',
      icon: 'shield',
      isShown: () => may(IdentityRolePermissions.ManagePermissions),
      run: ({ name }) => setUrl({ permissions: name }, true),
    },
    {
      title: 'AbpIdentity::DisplayName:Claims',
      icon: 'list',
      isShown: () => mayChange,
      run: (role) => ask({ kind: 'claims', role }),
    },
    {
      title: 'MoveUsers',
      icon: 'users',
      isShown: ({ userCount }) => mayChange && userCount > 0,
      run: (role) => ask({ kind: 'move', role }),
    },
    {
      title: 'AbpUi::Delete',
      icon: 'trash',
      isDangerous: true,
      isShown: ({ isStatic }) => may(IdentityRolePermissions.Delete) && !isStatic,
      run: (role) => ask({ kind: 'delete', role }),
    },
  ]
  const newRole = may(IdentityRolePermissions.Create) && (
    <Button leftSection={<Icon name="plus" />} onClick={() => setUrl({ edit: 'new' }, true)}>
      {t('AbpIdentity::NewRole')}
    </Button>
  )
  return (
    <>
      <PageHead title={t('AbpIdentity::Roles')} hint={t('RolesHint')}>
        {newRole}
      </PageHead>
      <DataList
        label={t('AbpIdentity::Roles')}
        list={roles.getList}
        columns={columns}
        actions={actions}
        {...(may(IdentityRolePermissions.ManagePermissions) && {
          onOpen: ({ name }: Role) => setUrl({ permissions: name }, true),
        })}
        empty={<EmptyState icon="shield" title={t('NoRoles')} action={newRole} />}
      />
      {url['edit'] && (
        <RoleDialog
          key={url['edit']}
          id={url['edit'] === 'new' ? undefined : url['edit']}
          onClose={() => setUrl({ edit: undefined })}
        />
      )}
      {url['permissions'] && (
        <PermissionsDialog
          providerName="R"
          providerKey={url['permissions']}
          onClose={() => setUrl({ permissions: undefined })}
        />
      )}
      {asked?.kind === 'claims' && (
        <ClaimsDialog
          id={asked.role.id}
          name={asked.role.name}
          calls={{
            getClaims: roles.getClaims,
            updateClaims: roles.updateClaims,
            getAllClaimTypes: roles.getAllClaimTypes,
          }}
          onClose={() => ask(undefined)}
        />
      )}
      {asked?.kind === 'move' && (
        <MoveDialog
          title={asked.role.name}
          action="MoveUsers"
          hint={t('MoveUsersHint', { name: asked.role.name, count: formatNumber(asked.role.userCount) })}
          nowhereHint={t('MoveUsersNowhereHint', {
            name: asked.role.name,
            count: formatNumber(asked.role.userCount),
          })}
          label="MoveUsersTo"
          nowhere="NoRole"
          targets={
            all.data?.items
              .filter(({ id }) => id !== asked.role.id)
              .map(({ id, name }) => ({ value: id, label: name })) ?? []
          }
          onMove={async (to) => {
            await run(roles.moveAllUsers, asked.role.id, to)
            tell(t('AbpUi::SavedSuccessfully'))
          }}
          onClose={() => ask(undefined)}
        />
      )}
      {asked?.kind === 'delete' && (
        <Confirm
          title={t('AbpUi::Delete')}
          action={t('AbpUi::Delete')}
          onConfirm={async () => {
            await run(roles.delete, asked.role.id)
            tell(t('AbpUi::DeletedSuccessfully'))
          }}
          onClose={() => ask(undefined)}
        >
          {t('DeleteRoleHint', { name: asked.role.name, count: asked.role.userCount })}
        </Confirm>
      )}
    </>
  )
}

function Marks({ role }: { readonly role: Role }) {
  const { t } = useApplication()
  return (
    <Group gap={4} wrap="nowrap">
      {role.isStatic && (
        <Badge variant="light" color="gray">
          {t('AbpIdentity::DisplayName:IsStatic')}
        </Badge>
      )}
      {role.isDefault && <Badge variant="light">{t('AbpUi::DisplayName:IsDefault')}</Badge>}
      {role.isPublic && (
        <Badge variant="light" color="teal">
          {t('AbpIdentity::DisplayName:IsPublic')}
        </Badge>
      )}
    </Group>
  )
}

function RoleDialog({ id, onClose }: { readonly id: string | undefined; readonly onClose: () => void }) {
  const { t } = useApplication()
  const role = useQueryWhen(id !== undefined, platform.identity.roles.get, id ?? '')
  return (
    <Dialog title={id === undefined ? t('AbpIdentity::NewRole') : (role.data?.name ?? '…')} onClose={onClose}>
      {role.error && <ErrorAlert error={role.error} retry={() => void role.refetch()} />}
      {(id === undefined || role.data) && <RoleForm role={role.data} onClose={onClose} />}
    </Dialog>
  )
}

function valuesOf(role: Role | undefined) {
  return {
    name: role?.name ?? '',
    isDefault: role?.isDefault ?? false,
    isPublic: role?.isPublic ?? true,
    concurrencyStamp: role?.concurrencyStamp ?? '',
  }
}

function RoleForm({ role, onClose }: { readonly role: Role | undefined; readonly onClose: () => void }) {
  const { t } = useApplication()
  const { roles } = platform.identity
  const tell = useTell()
  const { run } = useMutation(platform.identity.users.getList)
  const own = useOwnFields('Identity.Role')
  const form = useForm<ReturnType<typeof valuesOf> & Record<string, unknown>>({
    draft: `role:${role?.id ?? 'new'}`,
    initial: { ...valuesOf(role), ...own.valuesOf(role) },
    fieldOfCode: {
      DuplicateRoleName: 'name',
      InvalidRoleName: 'name',
      StaticRoleRenaming: 'name',
      '010005': 'name',
      DefaultAdministrators: 'isDefault',
    },
    async save(values) {
      const { concurrencyStamp, ...input } = own.inputOf(values)
      if (role) await run(roles.update, role.id, { ...input, concurrencyStamp })
      else await run(roles.create, input)
      tell(t('AbpUi::SavedSuccessfully'))
      onClose()
    },
  })
  return (
    <>
      <FormBody form={form} onCancel={onClose}>
        <TextInput
          label={t('AbpIdentity::RoleName')}
          required
          data-autofocus
          disabled={role?.isStatic ?? false}
          {...form.text('name')}
        />
        <Checkbox
          label={t('AbpUi::DisplayName:IsDefault')}
          description={t('DefaultRoleHint')}
          error={form.errorOf('isDefault')}
          {...form.check('isDefault')}
        />
        <Checkbox
          label={t('AbpIdentity::DisplayName:IsPublic')}
          description={t('PublicRoleHint')}
          {...form.check('isPublic')}
        />
        <Fields form={form} fields={own.fields} />
      </FormBody>
      {role && (
        <ConflictDialog
          form={form}
          loadTheirs={async () => {
            const theirs = await roles.get(role.id)
            return { ...valuesOf(theirs), ...own.valuesOf(theirs) }
          }}
          titles={{
            name: t('AbpIdentity::RoleName'),
            isDefault: t('AbpUi::DisplayName:IsDefault'),
            isPublic: t('AbpIdentity::DisplayName:IsPublic'),
            ...Object.fromEntries(own.fields.map(({ name, label }) => [name, label])),
          }}
        />
      )}
    </>
  )
}
