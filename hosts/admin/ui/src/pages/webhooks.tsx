import {
  OrganizationAppService,
  WebhookAppService,
  WebhookDeliveryAppService,
  type WebhookDeliveryDto,
  WebhookDeliveryStatus,
  type WebhookDto,
  WebhookPermissions,
  WebhookStatus,
  webhookEvents,
} from '@keel/hub-proxy'
import { useMutation, useQuery, useQueryWhen } from '@keel/react'
import { Badge, Button, Text } from '@mantine/core'
import { useState } from 'react'
import { useApplication } from '../application.js'
import { openProxy } from '../clients.js'
import { KeySecret } from '../parts/api-key-dialogs.js'
import { Confirm, useQuestion } from '../parts/confirm.js'
import type { Column, RowAction } from '../parts/data-list.js'
import { Drawer } from '../parts/drawer.js'
import { EditDialog, type Editing } from '../parts/edit-dialog.js'
import { enumOptions, type Field } from '../parts/fields.js'
import { ListPage } from '../parts/list-page.js'
import { useAct, useTell } from '../parts/notices.js'
import { OrganizationSelect } from '../parts/organizations.js'
import { SmallList } from '../parts/small-list.js'
import { useUrlState } from '../parts/url-state.js'
import { UserName } from '../parts/user-names.js'

const { webhooks, webhookDeliveries, organizations } = openProxy({
  webhooks: { service: WebhookAppService },
  webhookDeliveries: { service: WebhookDeliveryAppService },
  organizations: { service: OrganizationAppService },
})
type Webhook = InstanceType<typeof WebhookDto>
type Delivery = InstanceType<typeof WebhookDeliveryDto>

const own = (name: string) => `Hub::DisplayName:Webhook:${name}`
const ofDelivery = (name: string) => `Hub::DisplayName:WebhookDelivery:${name}`
const webhookColours = ['teal', 'gray', 'red'] as const
const deliveryColours = ['indigo', 'teal', 'red', 'gray'] as const
const dayMs = 86_400_000

/** Addresses that get the events of organizations, and what they got. */
export function Page() {
  const { t, may, host, formatInstant } = useApplication()
  const [url, setUrl] = useUrlState()
  const [secret, show] = useState<string>()
  const [rotated, rotate] = useState<Webhook>()
  const { run } = useMutation(webhookDeliveries.getList)
  const act = useAct()
  const { ask, question } = useQuestion()
  const mayEdit = may(WebhookPermissions.Edit)
  const isOwn = ({ ownerId }: Webhook) => ownerId === host.currentUser.id
  const columns: Column<Webhook>[] = [
    { id: 'name', title: own('Name'), sort: 'name', isEssential: true, cell: ({ name }) => name },
    { id: 'url', title: own('Url'), cell: ({ url: address }) => address },
    {
      id: 'organization',
      title: 'Hub::Entity:Organization',
      cell: ({ organizationId }) => <OrganizationCode id={organizationId} />,
    },
    { id: 'owner', title: 'Owner', cell: ({ ownerId }) => <UserName id={ownerId} /> },
    { id: 'events', title: own('EventTypes'), cell: ({ eventTypes }) => eventTypes.length },
    {
      id: 'status',
      title: own('Status'),
      isEssential: true,
      cell: ({ status }) => (
        <Badge variant="light" color={webhookColours[status]}>
          {t(`Hub::Enum:WebhookStatus.${status}`)}
        </Badge>
      ),
    },
    {
      id: 'failing',
      title: own('FailingSince'),
      cell: ({ failingSince }) => formatInstant(failingSince),
    },
  ]
  const saved = t('AbpUi::SavedSuccessfully')
  const actions: RowAction<Webhook>[] = [
    { title: 'WebhookDeliveries', icon: 'history', run: ({ id }) => setUrl({ deliveries: id }, true) },
    {
      title: 'PingWebhook',
      icon: 'play',
      isShown: (webhook) => mayEdit && isOwn(webhook) && webhook.status === WebhookStatus.Active,
      run: ({ id }) => act(run(webhooks.ping, id), t('PingSent')),
    },
    { title: 'RotateKey', icon: 'refresh', isShown: (webhook) => mayEdit && isOwn(webhook), run: rotate },
    {
      title: 'DisableWebhook',
      icon: 'close',
      isDangerous: true,
      isShown: ({ status }) => mayEdit && status === WebhookStatus.Active,
      run: ({ id, name }) =>
        ask({
          action: t('DisableWebhook'),
          words: t('DisableWebhookHint', { name }),
          run: () => run(webhooks.disable, id),
          done: saved,
        }),
    },
    {
      title: 'EnableWebhook',
      icon: 'check',
      isShown: (webhook) => mayEdit && isOwn(webhook) && webhook.status !== WebhookStatus.Active,
      run: ({ id }) => act(run(webhooks.enable, id), saved),
    },
  ]
  return (
    <ListPage
      title="Webhooks"
      hint="WebhooksHint"
      icon="globe"
      emptyHint="NoWebhooksHint"
      list={webhooks.getList}
      columns={columns}
      actions={actions}
      filters={[
        {
          name: 'status',
          title: own('Status'),
          kind: 'choice',
          options: enumOptions(t, 'Hub::Enum:WebhookStatus', WebhookStatus),
        },
        {
          name: 'organizationId',
          title: 'Hub::Entity:Organization',
          kind: 'pick',
          pick: OrganizationSelect,
        },
      ]}
      work={{
        newTitle: may(WebhookPermissions.Create) && 'NewWebhook',
        mayEdit,
        isEditable: isOwn,
        dialog: (id, onClose) => (
          <EditDialog
            id={id}
            title={t(id ? 'Hub::Entity:Webhook' : 'NewWebhook')}
            editing={id ? changing : adding}
            mayChange={may(id ? WebhookPermissions.Edit : WebhookPermissions.Create)}
            onClose={onClose}
            {...(!id && {
              onSaved: (answer) => {
                show((answer as { secret: string }).secret)
                onClose()
              },
            })}
          />
        ),
      }}
      removal={
        may(WebhookPermissions.Delete) && {
          call: webhooks.delete,
          warn: ({ name }) => t('DeleteWebhookHint', { name }),
        }
      }
    >
      {question}
      {url['deliveries'] && (
        <Deliveries id={url['deliveries']} onClose={() => setUrl({ deliveries: undefined })} />
      )}
      {rotated && (
        <Confirm
          title={`${t('RotateKey')}: ${rotated.name}`}
          action={t('RotateKey')}
          onConfirm={async () => {
            const answer = await run(webhooks.rotateSecret, rotated.id, {})
            rotate(undefined)
            show(answer.secret)
          }}
          onClose={() => rotate(undefined)}
        >
          <Text size="sm">{t('RotateWebhookHint')}</Text>
        </Confirm>
      )}
      {secret && <KeySecret secret={secret} label={t('WebhookSecret')} onClose={() => show(undefined)} />}
    </ListPage>
  )
}

/** The code of an organization; of a webhook for the data of all, words that say so. */
function OrganizationCode({ id }: { readonly id: string | null }) {
  const { t } = useApplication()
  const { data } = useQueryWhen(id !== null, organizations.get, id ?? '')
  return id === null ? t('AllOrganizations') : data?.code
}

/** The log of a webhook. */
function Deliveries({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { t, may, host, formatInstant, formatNumber } = useApplication()
  const act = useAct()
  const tell = useTell()
  const { run } = useMutation()
  const webhook = useQuery(webhooks.get, id)
  const isOwn = may(WebhookPermissions.Edit) && webhook.data?.ownerId === host.currentUser.id
  const columns: Column<Delivery>[] = [
    {
      id: 'time',
      title: ofDelivery('EventTime'),
      isEssential: true,
      cell: ({ eventTime }) => formatInstant(eventTime),
    },
    { id: 'type', title: ofDelivery('EventType'), cell: ({ eventType }) => eventWords(eventType) },
    {
      id: 'status',
      title: ofDelivery('Status'),
      isEssential: true,
      cell: ({ status, failure, responseStatus }) => (
        <>
          <Badge variant="light" color={deliveryColours[status]}>
            {t(`Hub::Enum:WebhookDeliveryStatus.${status}`)}
          </Badge>{' '}
          {failure !== null && (
            <Text span size="sm">
              {t(`Hub::Enum:WebhookFailure.${failure}`)} {responseStatus}
            </Text>
          )}
        </>
      ),
    },
    { id: 'attempt', title: ofDelivery('Attempt'), cell: ({ attempt }) => attempt },
    {
      id: 'next',
      title: ofDelivery('NextAttemptTime'),
      cell: ({ nextAttemptTime }) => formatInstant(nextAttemptTime),
    },
  ]
  const actions: RowAction<Delivery>[] = [
    {
      title: 'ReplayDelivery',
      icon: 'refresh',
      isShown: ({ status }) => isOwn && status !== WebhookDeliveryStatus.Pending,
      run: ({ id: one }) => act(run(webhookDeliveries.replay, one), t('ReplayedDeliveries', { count: 1 })),
    },
  ]
  const replayDay = async () => {
    const since = new Date(Date.now() - dayMs).toISOString()
    const { count } = await run(webhookDeliveries.replayMany, { webhookId: id, since })
    tell(t('ReplayedDeliveries', { count: formatNumber(count) }))
  }
  return (
    <Drawer onClose={onClose} size="xl" title={webhook.data?.name ?? t('WebhookDeliveries')}>
      <SmallList
        title="WebhookDeliveries"
        emptyHint="NoWebhookDeliveriesHint"
        list={webhookDeliveries.getList}
        input={{ webhookId: id }}
        columns={columns}
        actions={actions}
        commands={
          isOwn && (
            <Button
              size="xs"
              variant="default"
              onClick={() => void replayDay().catch((error: Error) => tell(error.message, true))}
            >
              {t('ReplayFailed')}
            </Button>
          )
        }
      />
    </Drawer>
  )
}

/** The name of an event without that of its module, which all have. */
const eventWords = (eventName: string): string => eventName.replace(/^Hub\./, '')

function valuesOf(webhook?: Webhook) {
  return {
    name: webhook?.name ?? '',
    url: webhook?.url ?? '',
    organizationId: webhook?.organizationId ?? null,
    eventTypes: webhook?.eventTypes ?? ['Hub.Shipment.StatusChanged'],
    concurrencyStamp: webhook?.concurrencyStamp ?? '',
  }
}
type Values = ReturnType<typeof valuesOf>

const fields: Field<Values>[] = [
  { name: 'name', title: own('Name'), isRequired: true },
  {
    name: 'organizationId',
    title: 'Hub::Entity:Organization',
    kind: 'pick',
    pick: OrganizationSelect,
    hint: 'WebhookOrganizationHint',
  },
  { name: 'url', title: own('Url'), kind: 'url', isRequired: true },
  {
    name: 'eventTypes',
    title: own('EventTypes'),
    kind: 'choices',
    isRequired: true,
    options: webhookEvents.map(({ eventName }) => ({
      value: eventName,
      label: eventWords(eventName),
    })),
  },
]

const adding: Editing<Webhook, Values> = {
  draft: 'webhook',
  get: webhooks.get,
  create: webhooks.create as never,
  update: webhooks.update as never,
  valuesOf,
  fields,
  fieldOfCode: { AddressInvalid: 'url' },
}

/** The organization of a webhook stays. */
const changing: Editing<Webhook, Values> = {
  ...adding,
  fields: fields.filter(({ name }) => name !== 'organizationId'),
}
