import {
  type RateCardAction,
  type RateCardDto,
  RateCardPermissions,
  RateCardStatus,
  RateCardType,
  type RateLaneDto,
  targetOfAction,
} from '@keel/pricing-proxy'
import { useMutation, useQuery } from '@keel/react'
import { Alert, Badge, Button, Card, Skeleton, Stack, Title } from '@mantine/core'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useApplication } from '../application.js'
import { BackLink } from '../parts/back-link.js'
import { Confirm } from '../parts/confirm.js'
import { type Column, DataList, type RowAction } from '../parts/data-list.js'
import { saveFile } from '../parts/download.js'
import { Facts } from '../parts/facts.js'
import { useFormats } from '../parts/formats.js'
import { Icon } from '../parts/icons.js'
import { useTell } from '../parts/notices.js'
import { PageHead } from '../parts/page-head.js'
import { ActiveBadge, CardBadge, ofCard, rateCards, rateLanes } from '../parts/pricing.js'
import { RateCardComparison } from '../parts/rate-card-comparison.js'
import { RateCardDialog } from '../parts/rate-card-dialog.js'
import { LaneDialog, LaneDrawer, laneEnd, ofLane } from '../parts/rate-lanes.js'
import { RateSheetDialog } from '../parts/rate-sheet-dialog.js'
import { EmptyState, ErrorAlert } from '../parts/states.js'
import { reasonField, type Step, Steps } from '../parts/steps.js'
import type { Comparing } from '../parts/thing-conflict.js'
import { useUrlState } from '../parts/url-state.js'
import { UserName } from '../parts/user-names.js'

type RateCard = InstanceType<typeof RateCardDto>
type Lane = InstanceType<typeof RateLaneDto>

/** A rate card: its head, its lanes with lines and breaks, how it differs from another version, and what can be done now. */
export function Page() {
  const { t } = useApplication()
  const { id } = useParams({ strict: false }) as { id: string }
  const card = useQuery(rateCards.get, id)
  return (
    <>
      <BackLink to="/rate-cards" title={t('Pricing:RateCards')} />
      {card.error && <ErrorAlert error={card.error} retry={() => void card.refetch()} />}
      {card.isPending && <Skeleton height={420} />}
      {card.data && <Loaded card={card.data} />}
    </>
  )
}

function Loaded({ card }: { readonly card: RateCard }) {
  const { t, may, formatInstant } = useApplication()
  const formats = useFormats()
  const [url, setUrl] = useUrlState()
  const comparing = useComparing()
  const { id, reference, version, name, status, statusReason } = card
  const mayEdit = may(RateCardPermissions.Edit) && status === RateCardStatus.Draft
  return (
    <>
      <PageHead
        title={`${reference} · ${version}`}
        hint={name}
        badge={
          <>
            <CardBadge status={status} />
            <Badge variant="light" color={card.cardType === RateCardType.Buy ? 'grape' : 'blue'}>
              {t(`Pricing::Enum:RateCardType.${card.cardType}`)}
            </Badge>
          </>
        }
      >
        <CardSteps card={card} />
      </PageHead>
      {statusReason && (
        <Alert color="orange" variant="light" mb="md" title={t(ofCard('StatusReason'))}>
          {statusReason}
        </Alert>
      )}
      <Stack gap="lg">
        <Card withBorder padding="md">
          <Facts
            isWide
            facts={[
              ['Pricing:Validity', `${formats.date(card.validFrom)} – ${formats.date(card.validTo)}`],
              [ofCard('DateBasis'), t(`Pricing::Enum:RateDateBasis.${card.dateBasis}`)],
              [
                ofCard('TransportModeCode'),
                [card.transportModeCode, card.containerModeCode].filter(Boolean).join(' · '),
              ],
              [ofCard('CarrierCode'), card.carrierCode],
              [ofCard('OrganizationCode'), card.organizationCode],
              [ofCard('ContractNumber'), card.contractNumber],
              [ofCard('CurrencyCode'), card.currencyCode],
              [ofCard('Priority'), card.priority],
              [ofCard('VolumetricDivisor'), formats.decimal(card.volumetricDivisor)],
              [ofCard('MinimumRevenueTon'), formats.decimal(card.minimumRevenueTon)],
              [
                ofCard('ApprovalTime'),
                card.approvalTime && (
                  <>
                    {formatInstant(card.approvalTime)} · <UserName id={card.approvedById} />
                  </>
                ),
              ],
              [ofCard('Notes'), card.notes],
            ]}
          />
        </Card>
        <Lanes card={card} mayEdit={mayEdit} />
      </Stack>
      {url['edit'] && mayEdit && <RateCardDialog id={id} onClose={() => setUrl({ edit: undefined })} />}
      {url['import'] && mayEdit && may(RateCardPermissions.Import) && (
        <RateSheetDialog card={card} comparing={comparing} onClose={() => setUrl({ import: undefined })} />
      )}
      {url['compare'] && (
        <RateCardComparison
          card={card}
          otherId={url['compare']}
          onChoose={(other) => setUrl({ compare: other })}
          onClose={() => setUrl({ compare: undefined })}
        />
      )}
    </>
  )
}

/** What is shown of a card that was changed before a step. */
function useComparing(): Comparing<RateCard> {
  const { t, formatInstant } = useApplication()
  const formats = useFormats()
  return {
    load: rateCards.get,
    seenOf: (card) => ({
      [ofCard('Status')]: t(`Pricing::Enum:RateCardStatus.${card.status}`),
      [ofCard('StatusReason')]: card.statusReason ?? '',
      'AbpUi::DisplayName:Name': card.name,
      'Pricing:Validity': `${formats.date(card.validFrom)} – ${formats.date(card.validTo)}`,
      [ofCard('CurrencyCode')]: card.currencyCode,
      [ofCard('Priority')]: String(card.priority),
      [ofCard('Notes')]: card.notes ?? '',
      // Tells versions apart that differ in nothing of the above, such as those whose rates were changed.
      'AbpUi::DisplayName:LastModificationTime': formatInstant(
        card.lastModificationTime ?? card.creationTime,
      ),
    }),
  }
}

/** What the caller may do with the card now. */
function CardSteps({ card }: { readonly card: RateCard }) {
  const { may } = useApplication()
  const navigate = useNavigate()
  const [, setUrl] = useUrlState()
  const { id, status, reference, name, validFrom, validTo, previousVersionId } = card
  const comparing = useComparing()
  const { Edit, Import, Approve, Create } = RateCardPermissions
  const can = (action: RateCardAction, permission: string) =>
    may(permission) && targetOfAction(action, status) !== undefined
  const open = (next: RateCard) => void navigate({ to: `/rate-cards/${next.id}` } as never)
  const steps: Step[] = [
    {
      title: 'Pricing:Submit',
      icon: 'up',
      isPossible: can('submit', Edit),
      isMain: true,
      run: (_, mutate, stamp) => mutate(rateCards.submit, id, stamp),
      done: 'Pricing:Submitted',
    },
    {
      title: 'Pricing:Approve',
      icon: 'check',
      isPossible: can('approve', Approve),
      isMain: true,
      hint: 'Pricing:ApproveCardHint',
      run: (_, mutate, stamp) => mutate(rateCards.approve, id, stamp),
    },
    {
      title: 'Pricing:Return',
      icon: 'history',
      isPossible: can('return', Approve),
      isMain: true,
      fields: [reasonField],
      run: ({ reason = '' }, mutate, stamp) => mutate(rateCards.return, id, { reason, ...stamp }),
    },
    {
      title: 'Pricing:Resume',
      icon: 'play',
      isPossible: can('resume', Approve),
      isMain: true,
      run: (_, mutate, stamp) => mutate(rateCards.resume, id, stamp),
    },
    {
      title: 'Pricing:NewVersion',
      icon: 'plus',
      isPossible: may(Create) && status === RateCardStatus.Active,
      isMain: true,
      run: async (_, mutate, stamp) => open(await mutate(rateCards.createNewVersion, id, stamp)),
      done: 'Pricing:NewVersionMade',
    },
    {
      title: 'Pricing:Compare',
      icon: 'columns',
      isPossible: true,
      isMain: previousVersionId !== null,
      run: async () => setUrl({ compare: previousVersionId ?? 'choose' }, true),
      done: false,
    },
    {
      title: 'AbpUi::Edit',
      icon: 'edit',
      isPossible: may(Edit) && status === RateCardStatus.Draft,
      run: async () => setUrl({ edit: id }, true),
      done: false,
    },
    {
      title: 'Pricing:DownloadSheet',
      icon: 'download',
      isPossible: true,
      run: () => rateCards.getSheet(id).then(saveFile),
      done: 'Exported',
    },
    {
      title: 'Pricing:ImportSheet',
      icon: 'upload',
      isPossible: may(Edit) && may(Import) && status === RateCardStatus.Draft,
      run: async () => setUrl({ import: 'open' }, true),
      done: false,
    },
    {
      title: 'Copy',
      icon: 'copy',
      isPossible: may(Create),
      fields: [
        { name: 'reference', title: ofCard('Reference'), isRequired: true },
        { name: 'name', title: 'AbpUi::DisplayName:Name' },
        { name: 'validFrom', title: ofCard('ValidFrom'), kind: 'date' },
        { name: 'validTo', title: ofCard('ValidTo'), kind: 'date' },
      ],
      values: { reference: '', name, validFrom, validTo },
      fieldOfCode: { ReferenceAlreadyExists: 'reference' },
      run: async (values, mutate) =>
        open(await mutate(rateCards.copy, id, { ...values, reference: values['reference'] ?? reference })),
      done: 'Pricing:Copied',
    },
    {
      title: 'Pricing:ExtendValidity',
      icon: 'clock',
      isPossible: may(Approve) && status === RateCardStatus.Active,
      fields: [{ name: 'validTo', title: ofCard('ValidTo'), kind: 'date', isRequired: true }],
      values: { validTo },
      fieldOfCode: { ValidityNotLonger: 'validTo' },
      run: (values, mutate, stamp) =>
        mutate(rateCards.extendValidity, id, { validTo: values['validTo'] ?? validTo, ...stamp }),
    },
    {
      title: 'Pricing:Suspend',
      icon: 'lock',
      isDangerous: true,
      isPossible: can('suspend', Approve),
      fields: [reasonField],
      run: ({ reason = '' }, mutate, stamp) => mutate(rateCards.suspend, id, { reason, ...stamp }),
    },
    {
      title: 'Pricing:Archive',
      icon: 'box',
      hint: 'Pricing:ArchiveHint',
      isPossible: can('archive', Edit),
      run: (_, mutate, stamp) => mutate(rateCards.archive, id, stamp),
    },
  ]
  return <Steps steps={steps} draft={`rate-card:${id}`} thing={card} comparing={comparing} />
}

/** The lanes of the card; one opens with its lines and their breaks. */
function Lanes({ card, mayEdit }: { readonly card: RateCard; readonly mayEdit: boolean }) {
  const { t } = useApplication()
  const tell = useTell()
  const [url, setUrl] = useUrlState()
  const [removed, remove] = useState<Lane>()
  const { run } = useMutation(rateCards.get)
  const add = mayEdit && (
    <Button leftSection={<Icon name="plus" />} onClick={() => setUrl({ editLane: 'new' }, true)}>
      {t('Pricing:NewLane')}
    </Button>
  )
  const columns: Column<Lane>[] = [
    {
      id: 'relation',
      title: 'Pricing:Relation',
      isEssential: true,
      cell: (lane) =>
        `${lane.laneNumber}. ${laneEnd(lane, 'origin', t)} → ${laneEnd(lane, 'destination', t)}`,
    },
    { id: 'via', title: 'Pricing:Via', cell: ({ viaUnLocode }) => viaUnLocode },
    {
      id: 'carrier',
      title: ofCard('CarrierCode'),
      cell: ({ carrierCode }) => carrierCode ?? card.carrierCode,
    },
    {
      id: 'transit',
      title: 'Pricing:TransitTime',
      sort: 'transitDays',
      isEssential: true,
      cell: ({ transitDays }) => transitDays != null && t('Pricing:Days', { count: transitDays }),
    },
    { id: 'freeDays', title: ofLane('FreeDays'), isExtra: true, cell: ({ freeDays }) => freeDays },
    { id: 'state', title: 'State', cell: ({ isActive }) => <ActiveBadge isActive={isActive} /> },
  ]
  const actions: RowAction<Lane>[] = [
    {
      title: 'AbpUi::Edit',
      icon: 'edit',
      isShown: () => mayEdit,
      run: ({ id }) => setUrl({ editLane: id }, true),
    },
    { title: 'AbpUi::Delete', icon: 'trash', isDangerous: true, isShown: () => mayEdit, run: remove },
  ]
  return (
    <section>
      <Title order={2} mb="xs">
        {t('Pricing:Lanes')}
      </Title>
      <DataList
        label={t('Pricing:Lanes')}
        list={rateLanes.getList}
        input={{ rateCardId: card.id }}
        columns={columns}
        actions={mayEdit ? actions : []}
        onOpen={({ id }) => setUrl({ lane: id }, true)}
        commands={add}
        empty={
          <EmptyState icon="grid" title={t('NothingYet')}>
            {t('Pricing:NoLanesHint')}
          </EmptyState>
        }
      />
      {url['editLane'] && mayEdit && (
        <LaneDialog
          id={url['editLane'] === 'new' ? undefined : url['editLane']}
          rateCardId={card.id}
          onClose={() => setUrl({ editLane: undefined })}
        />
      )}
      {url['lane'] && (
        <LaneDrawer
          id={url['lane']}
          card={card}
          mayEdit={mayEdit}
          onClose={() => setUrl({ lane: undefined, line: undefined, breaks: undefined })}
        />
      )}
      {removed && (
        <Confirm
          title={t('AbpUi::Delete')}
          action={t('AbpUi::Delete')}
          onConfirm={async () => {
            await run(rateLanes.delete, removed.id)
            tell(t('AbpUi::DeletedSuccessfully'))
          }}
          onClose={() => remove(undefined)}
        >
          {t('Pricing:DeleteLaneHint', { lane: removed.laneNumber })}
        </Confirm>
      )}
    </section>
  )
}
