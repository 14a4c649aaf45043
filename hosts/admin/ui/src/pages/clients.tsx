import { type ApplicationDto, ApplicationPermissions, openIdMembers } from '@keel/platform-proxy'
import { useQuery } from '@keel/react'
import { Badge } from '@mantine/core'
import { useApplication } from '../application.js'
import { openProxy } from '../clients.js'
import type { Column, RowAction } from '../parts/data-list.js'
import { EditDialog, type Editing } from '../parts/edit-dialog.js'
import type { Field } from '../parts/fields.js'
import { ListPage } from '../parts/list-page.js'
import { PermissionsDialog } from '../parts/permissions-dialog.js'
import { useUrlState } from '../parts/url-state.js'

type Client = InstanceType<typeof ApplicationDto>
type Values = ReturnType<typeof valuesOf>
const { applications, scopes } = openProxy({
  applications: openIdMembers.applications,
  scopes: openIdMembers.scopes,
})

/** Flows that the auth server serves. */
const flows = [
  'allowAuthorizationCodeFlow',
  'allowRefreshTokenFlow',
  'allowClientCredentialsFlow',
  'allowPasswordFlow',
  'allowHybridFlow',
  'allowImplicitFlow',
  'allowEndSessionEndpoint',
  'forcePkce',
] as const
const lifetimes = [
  'accessTokenLifetime',
  'identityTokenLifetime',
  'refreshTokenLifetime',
  'authorizationCodeLifetime',
  'deviceCodeLifetime',
  'userCodeLifetime',
] as const

function valuesOf(client?: Client) {
  return {
    clientId: client?.clientId ?? '',
    displayName: client?.displayName ?? '',
    applicationType: client?.applicationType ?? 'web',
    clientType: client?.clientType ?? 'public',
    clientSecret: '',
    consentType: client?.consentType ?? 'implicit',
    redirectUris: client?.redirectUris ?? [],
    postLogoutRedirectUris: client?.postLogoutRedirectUris ?? [],
    scopes: client?.scopes ?? [],
    extensionGrantTypes: client?.extensionGrantTypes ?? [],
    clientUri: client?.clientUri ?? '',
    logoUri: client?.logoUri ?? '',
    ...(Object.fromEntries(flows.map((flow) => [flow, client?.[flow] ?? false])) as Record<
      (typeof flows)[number],
      boolean
    >),
    extraProperties: client?.extraProperties ?? {},
    concurrencyStamp: client?.concurrencyStamp ?? '',
  }
}

/** The clients that may ask the auth server for tokens. */
export function Page() {
  const { t, may } = useApplication()
  const [url, setUrl] = useUrlState()
  const editing = useEditing()
  const columns: Column<Client>[] = [
    {
      id: 'clientId',
      title: 'AbpUi::DisplayName:ClientId',
      sort: 'clientId',
      isEssential: true,
      cell: ({ clientId }) => clientId,
    },
    {
      id: 'name',
      title: 'ShownName',
      sort: 'displayName',
      isEssential: true,
      cell: ({ displayName }) => displayName,
    },
    {
      id: 'type',
      title: 'AbpOpenIddict::DisplayName:ClientType',
      cell: ({ clientType }) => (
        <Badge variant="light" color={clientType === 'confidential' ? 'violet' : 'gray'}>
          {t(`ClientType:${clientType}`)}
        </Badge>
      ),
    },
    {
      id: 'flows',
      title: 'Flows',
      cell: (client) =>
        flows
          .filter((flow) => client[flow])
          .map((flow) => t(`Flow:${flow}`))
          .join(', '),
    },
    {
      id: 'scopes',
      title: 'AbpOpenIddict::Scopes',
      isExtra: true,
      cell: (client) => client.scopes.join(', '),
    },
    {
      id: 'redirects',
      title: 'AbpOpenIddict::DisplayName:RedirectUris',
      isExtra: true,
      cell: ({ redirectUris }) => redirectUris.join(', '),
    },
  ]
  const actions: RowAction<Client>[] = [
    {
      title: 'AbpIdentity::Permissions',
      icon: 'shield',
      isShown: ({ clientType }) =>
        may(ApplicationPermissions.ManagePermissions) && clientType === 'confidential',
      run: ({ clientId }) => setUrl({ permissions: clientId }, true),
    },
    {
      title: 'TokenLifetimes',
      icon: 'clock',
      run: ({ id }) => setUrl({ lifetimes: id }, true),
    },
  ]
  return (
    <ListPage
      title="AbpOpenIddict::Applications"
      hint="ClientsHint"
      icon="device"
      emptyHint="NoClientsHint"
      views="OpenIddictApplications"
      list={applications.getList}
      columns={columns}
      actions={actions}
      work={{
        newTitle: may(ApplicationPermissions.Create) && 'AbpOpenIddict::NewApplication',
        mayEdit: may(ApplicationPermissions.Edit),
        dialog: (id, onClose) => (
          <EditDialog
            id={id}
            title={t(id ? 'AbpOpenIddict::DisplayName:Application' : 'AbpOpenIddict::NewApplication')}
            editing={editing}
            mayChange={may(id ? ApplicationPermissions.Edit : ApplicationPermissions.Create)}
            onClose={onClose}
          />
        ),
      }}
      removal={
        may(ApplicationPermissions.Delete) && {
          call: applications.delete,
          warn: ({ clientId }) => `${clientId}: ${t('AbpOpenIddict::ApplicationDeletionWarningMessage')}`,
        }
      }
    >
      {url['permissions'] && (
        <PermissionsDialog
          providerName="C"
          providerKey={url['permissions']}
          onClose={() => setUrl({ permissions: undefined })}
        />
      )}
      {url['lifetimes'] && (
        <EditDialog
          id={url['lifetimes']}
          title={t('TokenLifetimes')}
          editing={lifetimeEditing}
          mayChange={may(ApplicationPermissions.Edit)}
          onClose={() => setUrl({ lifetimes: undefined })}
        />
      )}
    </ListPage>
  )
}

/** The form of a client; scopes to choose come from the server. */
function useEditing(): Editing<Client, Values> {
  const { t } = useApplication()
  const all = useQuery(scopes.getAllScopes)
  const words = (key: string, values: readonly string[]) =>
    values.map((value) => ({ value, label: t(`${key}:${value}`) }))
  const isConfidential = ({ clientType }: Values) => clientType === 'confidential'
  const fields: Field<Values>[] = [
    { name: 'clientId', title: 'AbpUi::DisplayName:ClientId', isRequired: true },
    { name: 'displayName', title: 'ShownName', isRequired: true },
    {
      name: 'applicationType',
      title: 'AbpOpenIddict::DisplayName:ApplicationType',
      kind: 'choice',
      isRequired: true,
      options: words('ApplicationType', ['web', 'native']),
    },
    {
      name: 'clientType',
      title: 'AbpOpenIddict::DisplayName:ClientType',
      kind: 'choice',
      isRequired: true,
      options: words('ClientType', ['public', 'confidential']),
    },
    {
      name: 'clientSecret',
      title: 'ClientSecret',
      hint: 'ClientSecretHint',
      kind: 'password',
      isShown: isConfidential,
    },
    {
      name: 'consentType',
      title: 'AbpOpenIddict::DisplayName:ConsentType',
      kind: 'choice',
      isRequired: true,
      options: words('ConsentType', ['implicit', 'explicit', 'external', 'systematic']),
    },
    {
      name: 'redirectUris',
      title: 'AbpOpenIddict::DisplayName:RedirectUris',
      hint: 'OnePerLine',
      kind: 'tags',
    },
    {
      name: 'postLogoutRedirectUris',
      title: 'AbpOpenIddict::DisplayName:PostLogoutRedirectUris',
      hint: 'OnePerLine',
      kind: 'tags',
    },
    {
      name: 'scopes',
      title: 'AbpOpenIddict::Scopes',
      kind: 'choices',
      options:
        all.data?.filter(({ name }) => name !== 'openid').map(({ name }) => ({ value: name, label: name })) ??
        [],
    },
    ...flows.map(
      (flow): Field<Values> => ({
        name: flow,
        title: `Flow:${flow}`,
        kind: 'check',
        ...(flow === 'allowClientCredentialsFlow' && { isShown: isConfidential }),
      }),
    ),
    {
      name: 'extensionGrantTypes',
      title: 'ExtensionGrants',
      kind: 'choices',
      options: ['Impersonation', 'LinkLogin'].map((value) => ({ value, label: t(`Grant:${value}`) })),
    },
    { name: 'clientUri', title: 'AbpOpenIddict::DisplayName:ClientUri', kind: 'url' },
    { name: 'logoUri', title: 'AbpOpenIddict::DisplayName:LogoUri', kind: 'url' },
  ]
  return {
    draft: 'client',
    get: applications.get,
    create: applications.create as never,
    update: applications.update as never,
    valuesOf,
    fields,
    fieldOfCode: {
      ClientIdAlreadyExists: 'clientId',
      PublicClientWithSecret: 'clientSecret',
      ConfidentialClientWithoutSecret: 'clientSecret',
    },
  }
}

const lifetimeEditing: Editing<Record<string, number | null>, Record<string, number | null>> = {
  draft: 'token-lifetimes',
  get: applications.getTokenLifetime as never,
  update: applications.setTokenLifetime as never,
  valuesOf: (stored = {}) => Object.fromEntries(lifetimes.map((kind) => [kind, stored[kind] ?? null])),
  fields: lifetimes.map((kind) => ({
    name: kind,
    title: `Lifetime:${kind}`,
    hint: 'LifetimeHint',
    kind: 'number',
  })),
}
