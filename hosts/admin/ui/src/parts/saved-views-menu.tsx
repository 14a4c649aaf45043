import { SavedViewAppService, type SavedViewDto, SavedViewPermissions } from '@keel/default-proxy'
import { useMutation, useQuery } from '@keel/react'
import { Badge, Button, Checkbox, Menu, Text, TextInput } from '@mantine/core'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { useApplication } from '../application.js'
import { openProxy } from '../clients.js'
import { useQuestion } from './confirm.js'
import { Dialog } from './dialog.js'
import { FormBody, useForm } from './form.js'
import { Icon } from './icons.js'
import { useAct } from './notices.js'
import { type UrlState, useUrlState } from './url-state.js'

type View = InstanceType<typeof SavedViewDto>

/** Brings Hub's contracts along, to choose an organization. */
const ShareViewDialog = lazy(async () => ({
  default: (await import('./share-view-dialog.js')).ShareViewDialog,
}))
const { savedViews } = openProxy({ savedViews: { service: SavedViewAppService } })

/**
 * Saves filters, order and columns of a list under a name, and brings them back. A list that is opened without any of them opens with the
 * default view.
 * @param list the name that the views are saved under; `filters` are the names of the list's conditions in the address, `columns` those that were chosen
 */
export function SavedViewsMenu({
  list,
  filters,
  columns,
}: {
  readonly list: string
  readonly filters: readonly string[]
  readonly columns: readonly string[] | undefined
}) {
  const { t, may, host } = useApplication()
  const [url, setUrl] = useUrlState()
  const [isSaving, setSaving] = useState(false)
  const [isSharing, setSharing] = useState(false)
  const { run } = useMutation()
  const act = useAct()
  const { ask, question } = useQuestion()
  const views = useQuery(savedViews.getList, { entitySet: list, maxResultCount: 100 })
  const members = [...filters, 'sorting', 'columns']
  const isPlain = members.every((name) => url[name] === undefined) && url['view'] === undefined
  const chosen = views.data?.items.find(({ id }) => id === url['view'])
  const isOwn = chosen?.userId === host.currentUser.id
  const state = () => ({
    filter: Object.fromEntries(
      filters.flatMap((name) => (url[name] === undefined ? [] : [[name, url[name]]])),
    ),
    columns: columns ? [...columns] : null,
    sorting: url['sorting'] ?? null,
  })
  const apply = (view: View | undefined) => setUrl(urlOf(view, members))
  useDefaultView(isPlain, views.data?.items, apply)

  return (
    <>
      <Menu position="bottom-end" width={260}>
        <Menu.Target>
          <Button variant="default" leftSection={<Icon name="star" />}>
            <Text span size="sm" fw={600} truncate maw={160}>
              {chosen?.name ?? t('Views')}
            </Text>
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<Icon name="list" />} onClick={() => apply(undefined)}>
            {t('PlainView')}
          </Menu.Item>
          {views.data?.items.map((view) => (
            <Menu.Item
              key={view.id}
              leftSection={<Icon name="star" />}
              rightSection={
                view.isDefault && (
                  <Badge size="xs" variant="light">
                    {t('AbpUi::DisplayName:IsDefault')}
                  </Badge>
                )
              }
              onClick={() => apply(view)}
            >
              {view.name}
            </Menu.Item>
          ))}
          <Menu.Divider />
          {may(SavedViewPermissions.Create) && (
            <Menu.Item leftSection={<Icon name="plus" />} onClick={() => setSaving(true)}>
              {t('SaveView')}
            </Menu.Item>
          )}
          {chosen && isOwn && may(SavedViewPermissions.Edit) && (
            <>
              <Menu.Item
                leftSection={<Icon name="edit" />}
                onClick={() => act(run(savedViews.update, chosen.id, state()), t('AbpUi::SavedSuccessfully'))}
              >
                {t('UpdateView', { name: chosen.name })}
              </Menu.Item>
              <Menu.Item
                leftSection={<Icon name="check" />}
                onClick={() => act(run(savedViews.setDefault, chosen.id), t('AbpUi::SavedSuccessfully'))}
              >
                {t('MakeDefaultView')}
              </Menu.Item>
            </>
          )}
          {chosen && isOwn && may(SavedViewPermissions.Share) && (
            <Menu.Item leftSection={<Icon name="users" />} onClick={() => setSharing(true)}>
              {t('ShareView', { name: chosen.name })}
            </Menu.Item>
          )}
          {chosen && isOwn && may(SavedViewPermissions.Delete) && (
            <Menu.Item
              color="red"
              leftSection={<Icon name="trash" />}
              onClick={() =>
                ask({
                  title: t('DeleteView', { name: chosen.name }),
                  action: t('AbpUi::Delete'),
                  words: t(isShared(chosen) ? 'DeleteSharedViewHint' : 'DeleteViewHint'),
                  run: async () => {
                    await run(savedViews.delete, chosen.id)
                    apply(undefined)
                  },
                  done: t('AbpUi::DeletedSuccessfully'),
                })
              }
            >
              {t('DeleteView', { name: chosen.name })}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {question}
      {isSharing && chosen && (
        <Suspense>
          <ShareViewDialog
            view={chosen}
            share={(input) => run(savedViews.share, chosen.id, input)}
            onClose={() => setSharing(false)}
          />
        </Suspense>
      )}
      {isSaving && (
        <SaveDialog
          save={async (named) => {
            const { id } = await run(savedViews.create, { entitySet: list, ...state(), ...named })
            setUrl({ view: id })
          }}
          onClose={() => setSaving(false)}
        />
      )}
    </>
  )
}

function isShared({ sharedRoleName, sharedOrganizationId }: View): boolean {
  return Boolean(sharedRoleName ?? sharedOrganizationId)
}

/** Opens a list with its default view, once, when nothing else is asked for. */
function useDefaultView(
  isPlain: boolean,
  views: readonly View[] | undefined,
  apply: (view: View) => void,
): void {
  const isDone = useRef(false)
  useEffect(() => {
    if (!views || isDone.current) return
    isDone.current = true
    const byDefault = views.find(({ isDefault }) => isDefault)
    if (isPlain && byDefault) apply(byDefault)
  }, [views, isPlain, apply])
}

function urlOf(view: View | undefined, members: readonly string[]): UrlState {
  const kept = Object.entries(view?.filter ?? {}).filter(
    ([name, value]) => members.includes(name) && typeof value === 'string',
  ) as [string, string][]
  return {
    ...Object.fromEntries(members.map((name) => [name, undefined])),
    ...Object.fromEntries(kept),
    sorting: view?.sorting ?? undefined,
    columns: view?.columns?.join('.'),
    view: view?.id,
  }
}

function SaveDialog({
  save,
  onClose,
}: {
  readonly save: (named: { name: string; isDefault: boolean }) => Promise<void>
  readonly onClose: () => void
}) {
  const { t } = useApplication()
  const form = useForm({
    draft: 'saved-view',
    initial: { name: '', isDefault: false },
    fieldOfCode: { NameAlreadyExists: 'name' },
    async save(values) {
      await save(values)
      onClose()
    },
  })
  return (
    <Dialog title={t('SaveView')} onClose={onClose}>
      <FormBody form={form} onCancel={onClose}>
        <TextInput label={t('AbpUi::DisplayName:Name')} required data-autofocus {...form.text('name')} />
        <Checkbox label={t('DefaultView')} {...form.check('isDefault')} />
      </FormBody>
    </Dialog>
  )
}
