import {
  ConsolPermissions,
  DocumentPermissions,
  OrganizationPermissions,
  type SearchHitDto,
  type SearchHitKind,
  ShipmentPermissions,
} from '@keel/hub-proxy'
import { useQueryWhen } from '@keel/react'
import { Loader, Modal, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useId, useState } from 'react'
import { useApplication } from '../application.js'
import { pages } from '../pages.js'
import { documents, search, shipments } from './hub.js'
import { Icon, type IconName } from './icons.js'
import { useLayer } from './layer.js'
import { ErrorAlert } from './states.js'

/** Something that was found, and where it is. */
interface Hit {
  readonly id: string
  /** The key of the heading that it stands under. */
  readonly group: string
  readonly icon: IconName
  readonly text: string
  readonly more?: string | undefined
  readonly to: string
  readonly search?: Readonly<Record<string, string>>
}

/** Something that Hub's search found. */
type HubHit = InstanceType<typeof SearchHitDto>

/** So many of each kind. */
const shownHits = 6
/** One letter finds everything, and so does a text without letters and digits. */
const isSearchable = (text: string) => text.length >= 2 && /[\p{L}\p{N}]/u.test(text)

/** The headings and icons of what Hub's search finds, and the status that its `state` is. */
const kinds: Readonly<Record<SearchHitKind, { group: string; icon: IconName; status?: string }>> = {
  Shipment: { group: 'Ops:Shipments', icon: 'box', status: 'ShipmentStatus' },
  Order: { group: 'Ops:Orders', icon: 'list', status: 'OrderStatus' },
  Container: { group: 'Hub::DisplayName:Shipment:Containers', icon: 'grid' },
  Consol: { group: 'Ops:Consols', icon: 'ship', status: 'ConsolStatus' },
  Organization: { group: 'Organizations', icon: 'building' },
}

/** Finds pages, documents and what Hub's search finds by a few letters, as far as the caller may see them. */
export function SearchDialog({ onClose }: { readonly onClose: () => void }) {
  const { t, may } = useApplication()
  const { closing } = useLayer()
  const navigate = useNavigate()
  const listId = useId()
  const [typed, setTyped] = useState('')
  const [settled] = useDebouncedValue(typed.trim(), 200)
  const [active, setActive] = useState(0)
  const isLong = isSearchable(settled)
  const input = { filter: settled, maxResultCount: shownHits }
  const seesAll = may(OrganizationPermissions.AccessAll)
  const found = {
    hub: useQueryWhen(isLong, search.getList, input),
    // Callers who do not see all organizations would have to name a shipment: they find what came lately.
    documents: useQueryWhen(isLong && seesAll && may(DocumentPermissions.View), documents.getList, input),
    newDocuments: useQueryWhen(
      isLong && !seesAll && may(DocumentPermissions.View) && may(ShipmentPermissions.View),
      shipments.getNewDocuments,
      input,
    ),
  }
  const isSearching = Object.values(found).some(({ isFetching }) => isFetching)
  const failed = Object.values(found).find(({ error }) => error)
  const words = typed.trim().toLowerCase()
  const hits: readonly Hit[] = [
    ...pages
      .filter(({ isHidden, permission }) => !isHidden && may(permission))
      .map((page) => ({ page, text: t(page.title) }))
      .filter(({ text }) => words !== '' && text.toLowerCase().includes(words))
      .slice(0, shownHits)
      .map(
        ({ page: { path, icon, group }, text }): Hit => ({
          id: path,
          group: 'Ops:Pages',
          icon,
          text,
          more: group && t(group),
          to: path,
        }),
      ),
    ...(found.hub.data ?? []).flatMap((hit): readonly Hit[] => {
      const place = placeOf(hit)
      if (!place) return []
      const { group, icon, status } = kinds[hit.kind]
      const more = [
        status && hit.state !== null && t(`Hub::Enum:${status}.${hit.state}`),
        hit.subtitle,
        !hit.title.includes(hit.text) && hit.text !== hit.subtitle && hit.text,
      ]
      return [{ id: hit.id, group, icon, text: hit.title, more: more.filter(Boolean).join(' · '), ...place }]
    }),
    ...(found.documents.data?.items ?? []).map(
      (document): Hit => ({
        id: document.id,
        group: 'Hub::DisplayName:Documents',
        icon: 'file',
        text: document.fileName,
        more: document.documentType?.name,
        ...(document.shipmentId
          ? { to: `/shipments/${document.shipmentId}`, search: { tab: 'documents' } }
          : document.orderId
            ? { to: `/orders/${document.orderId}` }
            : { to: '/documents', search: { filter: document.fileName } }),
      }),
    ),
    ...(found.newDocuments.data?.items ?? []).map(
      ({ documentId, fileName, shipmentId, shipmentReference }): Hit => ({
        id: documentId,
        group: 'Hub::DisplayName:Documents',
        icon: 'file',
        text: fileName,
        more: shipmentReference,
        to: `/shipments/${shipmentId}`,
        search: { tab: 'documents' },
      }),
    ),
  ]
  /** Where a thing is shown; undefined where the caller has no page of it. */
  function placeOf({ kind, id, consolId, subtitle: code }: HubHit): Pick<Hit, 'to' | 'search'> | undefined {
    switch (kind) {
      case 'Shipment':
        return { to: `/shipments/${id}` }
      case 'Order':
        return { to: `/orders/${id}` }
      case 'Consol':
        return { to: `/consols/${id}` }
      // A container has no page of its own.
      case 'Container':
        return consolId && may(ConsolPermissions.View) ? { to: `/consols/${consolId}` } : undefined
      case 'Organization':
        if (may(organizationPages)) return { to: '/organizations', search: { filter: code ?? '' } }
        return { to: '/shipments', search: { Organization: code ?? '' } }
    }
  }
  const chosen = hits[Math.min(active, hits.length - 1)]
  const open = (hit: Hit | undefined) => {
    if (!hit) return
    onClose()
    void navigate({ to: hit.to, search: hit.search ?? {} } as never)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && hits.length > 0) {
      event.preventDefault()
      setActive((Math.min(active, hits.length - 1) + step + hits.length) % hits.length)
    }
    if (event.key === 'Enter') {
      event.preventDefault()
      open(chosen)
    }
  }
  const optionId = (hit: Hit) => `${listId}-${hits.indexOf(hit)}`
  const groups = [...new Set(hits.map(({ group }) => group))]
  return (
    <Modal
      opened
      onClose={onClose}
      withCloseButton={false}
      size="lg"
      padding="sm"
      {...closing}
      attributes={{ content: { 'aria-label': t('Ops:SearchEverywhere') } }}
    >
      <TextInput
        role="combobox"
        aria-expanded={hits.length > 0}
        aria-controls={listId}
        aria-activedescendant={chosen && optionId(chosen)}
        aria-autocomplete="list"
        aria-label={t('Ops:SearchEverywhere')}
        placeholder={t('Ops:SearchPlaceholder')}
        data-autofocus
        leftSection={<Icon name="search" />}
        rightSection={isSearching && <Loader size="xs" />}
        value={typed}
        maxLength={100}
        onChange={({ currentTarget }) => {
          setTyped(currentTarget.value)
          setActive(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div id={listId} role="listbox" aria-label={t('Ops:Found')} className="keel-hits">
        {groups.map((group) => (
          // biome-ignore lint/a11y/useSemanticElements: a list box has groups, not sets of fields
          <div key={group} role="group" aria-label={t(group)}>
            <Text size="xs" fw={600} c="dimmed" px="xs" pt="xs" aria-hidden>
              {t(group)}
            </Text>
            {hits
              .filter((hit) => hit.group === group)
              .map((hit) => (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field above
                // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field above
                <div
                  key={hit.id}
                  id={optionId(hit)}
                  role="option"
                  aria-selected={hit === chosen}
                  onClick={() => open(hit)}
                  onMouseEnter={() => setActive(hits.indexOf(hit))}
                >
                  <Icon name={hit.icon} />
                  <span>{hit.text}</span>
                  {hit.more && (
                    <Text span size="sm" c="dimmed" truncate>
                      {hit.more}
                    </Text>
                  )}
                </div>
              ))}
          </div>
        ))}
      </div>
      {failed?.error && <ErrorAlert error={failed.error} retry={() => void failed.refetch()} />}
      <Text size="sm" c="dimmed" px="xs" pt="xs" role="status">
        {hits.length === 0 && (isLong && !isSearching && !failed ? t('NothingFound') : t('Ops:SearchHint'))}
      </Text>
    </Modal>
  )
}

/** Whoever holds one of these has a page of organizations. */
const organizationPages = pages.find(({ path }) => path === '/organizations')?.permission
