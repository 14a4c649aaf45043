import { openIdMembers, type ScopeDto, ScopePermissions } from '@keel/platform-proxy'
import { Badge } from '@mantine/core'
import { useApplication } from '../application.js'
import { openProxy } from '../clients.js'
import type { Column } from '../parts/data-list.js'
import { EditDialog, type Editing } from '../parts/edit-dialog.js'
import { ListPage } from '../parts/list-page.js'

type Scope = InstanceType<typeof ScopeDto>
const { scopes } = openProxy({ scopes: openIdMembers.scopes })

function valuesOf(scope?: Scope) {
  return {
    name: scope?.name ?? '',
    displayName: scope?.displayName ?? '',
    description: scope?.description ?? '',
    resources: scope?.resources ?? [],
    extraProperties: scope?.extraProperties ?? {},
    concurrencyStamp: scope?.concurrencyStamp ?? '',
  }
}

const editing: Editing<Scope, ReturnType<typeof valuesOf>> = {
  draft: 'scope',
  get: scopes.get,
  create: scopes.create as never,
  update: scopes.update as never,
  valuesOf,
  fields: [
    { name: 'name', title: 'AbpUi::DisplayName:Name', isRequired: true },
    { name: 'displayName', title: 'ShownName' },
    { name: 'description', title: 'AbpUi::DisplayName:Description', kind: 'area' },
    { name: 'resources', title: 'AbpOpenIddict::DisplayName:Resources', hint: 'AudiencesHint', kind: 'tags' },
  ],
  fieldOfCode: { ScopeNameAlreadyExists: 'name', ScopeIsFixed: 'name' },
}

/** The scopes that clients may ask for. Those of OpenID Connect are built in. */
export function Page() {
  const { t, may } = useApplication()
  const columns: Column<Scope>[] = [
    {
      id: 'name',
      title: 'AbpUi::DisplayName:Name',
      sort: 'name',
      isEssential: true,
      cell: ({ name }) => name,
    },
    {
      id: 'displayName',
      title: 'ShownName',
      isEssential: true,
      cell: ({ displayName, buildIn }) => displayName ?? (buildIn ? 'OpenID Connect' : ''),
    },
    { id: 'description', title: 'AbpUi::DisplayName:Description', cell: ({ description }) => description },
    {
      id: 'resources',
      title: 'AbpOpenIddict::DisplayName:Resources',
      cell: ({ resources, buildIn }) =>
        buildIn ? (
          <Badge variant="light" color="gray">
            {t('AbpIdentity::DisplayName:IsStatic')}
          </Badge>
        ) : (
          resources.join(', ')
        ),
    },
  ]
  return (
    <ListPage
      title="AbpOpenIddict::Scopes"
      hint="ScopesHint"
      icon="globe"
      emptyHint="NoScopesHint"
      list={scopes.getList}
      columns={columns}
      work={{
        newTitle: may(ScopePermissions.Create) && 'AbpOpenIddict::NewScope',
        mayEdit: may(ScopePermissions.Edit),
        isEditable: ({ buildIn }) => !buildIn,
        dialog: (id, onClose) => (
          <EditDialog
            id={id}
            title={t(id ? 'AbpOpenIddict::Entity:OpenIddictScope' : 'AbpOpenIddict::NewScope')}
            editing={editing}
            mayChange={may(id ? ScopePermissions.Edit : ScopePermissions.Create)}
            onClose={onClose}
          />
        ),
      }}
      removal={
        may(ScopePermissions.Delete) && {
          call: scopes.delete,
          warn: ({ name }) => `${name}: ${t('AbpOpenIddict::ScopeDeletionWarningMessage')}`,
          isAllowed: ({ buildIn }) => !buildIn,
        }
      }
    />
  )
}
