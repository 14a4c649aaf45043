import {
  MilestoneCode,
  Severity,
  type ShipmentExceptionDto,
  type ShipmentMilestoneDto,
  ShipmentPermissions,
  TrackingEventPermissions,
} from '@keel/hub-proxy'
import { useMutation, useQuery } from '@keel/react'
import { Skeleton, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { type Translate, useApplication } from '../application.js'
import { ActionDialog, type ActionValues, type ThingAction } from './action-dialog.js'
import { EditDialog, type Editing } from './edit-dialog.js'
import { enumOptions, type Field, localTime } from './fields.js'
import {
  shipmentExceptions,
  shipmentMilestones,
  shipmentStatusHistories,
  shipments,
  trackingEvents,
} from './hub.js'
import { PortSelect, useCodeName, useCodes } from './hub-selects.js'
import { useAct } from './notices.js'
import { isShipmentOpen, type Shipment } from './shipment-actions.js'
import { SmallList } from './small-list.js'
import { ErrorAlert } from './states.js'
import { SeverityMark, ShipmentState } from './statuses.js'
import { UserName } from './user-names.js'

type Milestone = InstanceType<typeof ShipmentMilestoneDto>
type Exception = InstanceType<typeof ShipmentExceptionDto>
const mile = (name: string) => `Hub::DisplayName:ShipmentMilestone:${name}`
const wrong = (name: string) => `Hub::DisplayName:ShipmentException:${name}`

/** What happened to a shipment and what is expected, in the order of time. */
export function Timeline({ shipment }: { readonly shipment: Shipment }) {
  const { t, formatInstant } = useApplication()
  const entries = useQuery(shipments.getTimeline, shipment.id)
  return (
    <Stack gap="sm" component="section">
      <Title order={2}>{t('Ops:Timeline')}</Title>
      {entries.error && <ErrorAlert error={entries.error} retry={() => void entries.refetch()} />}
      {entries.isPending && <Skeleton height={160} />}
      {entries.data?.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('Ops:NoTimelineHint')}
        </Text>
      )}
      <ol className="keel-timeline">
        {entries.data?.map((entry) => (
          <li key={entry.id} data-kind={entry.kind} data-actual={entry.isActual}>
            <Text size="sm" fw={entry.isActual ? 550 : 400}>
              {wordsOf(entry, t)}
            </Text>
            <Text size="xs" c="dimmed">
              {formatInstant(entry.time)}
              {!entry.isActual && ` · ${t('Ops:Expected')}`}
              {entry.text && ` · ${entry.text}`}
            </Text>
          </li>
        ))}
      </ol>
    </Stack>
  )
}

function wordsOf({ kind, value }: { readonly kind: string; readonly value: number }, t: Translate): string {
  if (kind === 'Milestone') return t(`Hub::Enum:MilestoneCode.${value}`)
  if (kind === 'StatusChange')
    return t('Ops:StatusBecame', { status: t(`Hub::Enum:ShipmentStatus.${value}`) })
  return t('Ops:ExceptionOf', { severity: t(`Hub::Enum:Severity.${value}`) })
}

function milestoneValues(milestone?: Milestone) {
  return {
    code: (milestone?.code ?? null) as MilestoneCode | null,
    portId: milestone?.portId ?? null,
    plannedTime: localTime(milestone?.plannedTime),
    estimatedTime: localTime(milestone?.estimatedTime),
    actualTime: localTime(milestone?.actualTime),
    isCustomerVisible: milestone?.isCustomerVisible ?? true,
  }
}

/** The steps of a shipment: planned, expected and done. */
export function Milestones({ shipment }: { readonly shipment: Shipment }) {
  const { t, may, formatInstant } = useApplication()
  const { run } = useMutation(shipments.get)
  const act = useAct()
  const mayEdit = may(ShipmentPermissions.ChangeStatus) && isShipmentOpen(shipment)
  const editingOf = (isNew: boolean): Editing<Milestone, ReturnType<typeof milestoneValues>> => ({
    draft: `milestone:${shipment.id}`,
    get: shipmentMilestones.get,
    create: shipmentMilestones.create as never,
    update: shipmentMilestones.update as never,
    valuesOf: milestoneValues,
    sendsChangesOnly: true,
    toInput: (values) => (isNew ? { ...values, shipmentId: shipment.id } : values),
    alsoInvalidates: [shipments.get],
    fieldOfCode: { AlreadyExists: 'code', ActualTimeInFuture: 'actualTime' },
    fields: [
      {
        name: 'code',
        title: mile('Code'),
        kind: 'enum',
        isRequired: true,
        isShown: () => isNew,
        options: enumOptions(t, 'Hub::Enum:MilestoneCode', MilestoneCode),
      },
      { name: 'portId', title: mile('Port'), kind: 'pick', pick: PortSelect },
      { name: 'plannedTime', title: mile('PlannedTime'), kind: 'instant' },
      { name: 'estimatedTime', title: mile('EstimatedTime'), kind: 'instant' },
      { name: 'actualTime', title: mile('ActualTime'), kind: 'instant' },
      { name: 'isCustomerVisible', title: mile('IsCustomerVisible'), kind: 'check' },
    ],
  })
  const name = ({ code }: Milestone) => t(`Hub::Enum:MilestoneCode.${code}`)
  return (
    <SmallList
      title="Hub::DisplayName:Shipment:Milestones"
      list={shipmentMilestones.getList}
      input={{ shipmentId: shipment.id }}
      emptyHint="Ops:NoMilestonesHint"
      alsoInvalidates={[shipments.get]}
      columns={[
        { id: 'code', title: mile('Code'), isEssential: true, cell: name },
        { id: 'port', title: mile('Port'), cell: ({ port }) => port?.unLocode },
        {
          id: 'planned',
          title: mile('PlannedTime'),
          cell: ({ plannedTime }) => formatInstant(plannedTime),
        },
        {
          id: 'estimated',
          title: mile('EstimatedTime'),
          cell: ({ estimatedTime }) => formatInstant(estimatedTime),
        },
        {
          id: 'actual',
          title: mile('ActualTime'),
          isEssential: true,
          cell: ({ actualTime }) => formatInstant(actualTime),
        },
        {
          id: 'source',
          title: 'Hub::DisplayName:Source',
          cell: ({ source }) => t(`Hub::Enum:EventSource.${source}`),
        },
      ]}
      actions={
        mayEdit
          ? [
              {
                title: 'Ops:HappenedNow',
                icon: 'check',
                isShown: ({ actualTime }) => !actualTime,
                run: (milestone) =>
                  act(
                    run(shipmentMilestones.setActual, milestone.id, {}),
                    t('Ops:Done', { action: t('Ops:HappenedNow'), name: name(milestone) }),
                  ),
              },
            ]
          : []
      }
      work={{
        newTitle: mayEdit && 'Ops:AddMilestone',
        mayEdit,
        dialog: (id, onClose) => (
          <EditDialog
            id={id}
            title={t(id ? 'Hub::Entity:ShipmentMilestone' : 'Ops:AddMilestone')}
            editing={editingOf(id === undefined)}
            onClose={onClose}
          />
        ),
      }}
      removal={
        mayEdit && {
          call: shipmentMilestones.delete,
          warn: (row) => t('Ops:DeleteRowHint', { name: name(row) }),
        }
      }
    />
  )
}

function exceptionValues(exception?: Exception) {
  return {
    exceptionTypeId: exception?.exceptionTypeId ?? null,
    severity: exception?.severity ?? Severity.Warning,
    description: exception?.description ?? '',
    delayHours: exception?.delayHours ?? null,
    raisedTime: localTime(exception?.raisedTime),
  }
}

const resolveField: Field<ActionValues> = {
  name: 'note',
  title: wrong('ResolutionNote'),
  kind: 'area',
  isRequired: true,
}

/** What went wrong with a shipment, and how it was mended. */
export function Exceptions({ shipment }: { readonly shipment: Shipment }) {
  const { t, may, formatInstant, formatNumber } = useApplication()
  const [resolved, resolve] = useState<Exception>()
  const types = useCodes('ExceptionType')
  const typeName = useCodeName('ExceptionType')
  const mayEdit = may(ShipmentPermissions.ChangeStatus) && isShipmentOpen(shipment)
  const editingOf = (isNew: boolean): Editing<Exception, ReturnType<typeof exceptionValues>> => ({
    draft: `exception:${shipment.id}`,
    get: shipmentExceptions.get,
    create: shipmentExceptions.create as never,
    update: shipmentExceptions.update as never,
    valuesOf: exceptionValues,
    sendsChangesOnly: true,
    toInput: (values) => (isNew ? { ...values, shipmentId: shipment.id } : values),
    alsoInvalidates: [shipments.get],
    fields: [
      {
        name: 'exceptionTypeId',
        title: wrong('ExceptionType'),
        kind: 'choice',
        isRequired: true,
        isShown: () => isNew,
        options: types,
      },
      {
        name: 'severity',
        title: wrong('Severity'),
        hint: 'Ops:SeverityHint',
        kind: 'enum',
        isRequired: true,
        options: enumOptions(t, 'Hub::Enum:Severity', Severity),
      },
      { name: 'description', title: 'AbpUi::DisplayName:Description', kind: 'area' },
      { name: 'delayHours', title: wrong('DelayHours'), kind: 'number' },
      {
        name: 'raisedTime',
        title: wrong('RaisedTime'),
        hint: 'Ops:NowWhenEmpty',
        kind: 'instant',
        isShown: () => isNew,
      },
    ],
  })
  const name = ({ exceptionType, description }: Exception) => typeName(exceptionType) ?? description ?? ''
  return (
    <>
      <SmallList
        title="Hub::DisplayName:Shipment:Exceptions"
        list={shipmentExceptions.getList}
        input={{ shipmentId: shipment.id }}
        emptyHint="Ops:NoExceptionsHint"
        alsoInvalidates={[shipments.get]}
        columns={[
          { id: 'type', title: wrong('ExceptionType'), isEssential: true, cell: name },
          {
            id: 'severity',
            title: wrong('Severity'),
            isEssential: true,
            cell: ({ severity }) => <SeverityMark severity={severity} />,
          },
          {
            id: 'description',
            title: 'AbpUi::DisplayName:Description',
            cell: ({ description }) => description,
          },
          {
            id: 'delay',
            title: wrong('DelayHours'),
            isFigure: true,
            cell: ({ delayHours }) => (delayHours == null ? '' : formatNumber(delayHours)),
          },
          { id: 'raised', title: wrong('RaisedTime'), cell: ({ raisedTime }) => formatInstant(raisedTime) },
          {
            id: 'resolved',
            title: wrong('ResolvedTime'),
            cell: ({ resolvedTime, resolutionNote }) => (
              <span title={resolutionNote ?? undefined}>{formatInstant(resolvedTime)}</span>
            ),
          },
        ]}
        actions={
          mayEdit
            ? [
                {
                  title: 'Ops:Resolve',
                  icon: 'check',
                  isShown: ({ resolvedTime }) => !resolvedTime,
                  run: resolve,
                },
              ]
            : []
        }
        work={{
          newTitle: mayEdit && 'Ops:RaiseException',
          mayEdit,
          dialog: (id, onClose) => (
            <EditDialog
              id={id}
              title={t(id ? 'Hub::Entity:ShipmentException' : 'Ops:RaiseException')}
              editing={editingOf(id === undefined)}
              onClose={onClose}
            />
          ),
        }}
        removal={
          mayEdit && {
            call: shipmentExceptions.delete,
            warn: (row) => t('Ops:DeleteRowHint', { name: name(row) }),
          }
        }
      />
      {resolved && (
        <ActionDialog
          action={resolution}
          thing={resolved}
          name={name(resolved)}
          alsoInvalidates={[shipments.get]}
          onClose={() => resolve(undefined)}
        />
      )}
    </>
  )
}

const resolution: ThingAction<Exception> = {
  name: 'resolve',
  title: 'Ops:Resolve',
  permission: ShipmentPermissions.ChangeStatus,
  isPossible: ({ resolvedTime }) => !resolvedTime,
  call: shipmentExceptions.resolve,
  fieldsOf: () => [resolveField],
}

/** The statuses that a shipment has had, with who gave them and why. */
export function StatusHistory({ shipment }: { readonly shipment: Shipment }) {
  const { formatInstant } = useApplication()
  const own = (name: string) => `Hub::DisplayName:ShipmentStatusHistory:${name}`
  return (
    <SmallList
      title="Hub::DisplayName:Shipment:StatusHistory"
      list={shipmentStatusHistories.getList}
      input={{ shipmentId: shipment.id }}
      emptyHint="NothingYet"
      columns={[
        {
          id: 'time',
          title: own('ChangeTime'),
          isEssential: true,
          cell: ({ changeTime }) => formatInstant(changeTime),
        },
        {
          id: 'to',
          title: own('ToStatus'),
          isEssential: true,
          cell: ({ toStatus }) => <ShipmentState status={toStatus} />,
        },
        { id: 'reason', title: own('Reason'), cell: ({ reason }) => reason },
        {
          id: 'user',
          title: 'AbpUi::DisplayName:UserName',
          cell: ({ creatorId }) => <UserName id={creatorId} />,
        },
      ]}
    />
  )
}

/** What carriers and other programs reported of a shipment; nothing without the permission. */
export function Tracking({ shipment }: { readonly shipment: Shipment }) {
  const { t, may, formatInstant } = useApplication()
  if (!may(TrackingEventPermissions.View)) return null
  return (
    <SmallList
      title="Hub::DisplayName:Shipment:TrackingEvents"
      list={trackingEvents.getList}
      input={{ shipmentId: shipment.id }}
      emptyHint="Ops:NoTrackingHint"
      columns={[
        {
          id: 'time',
          title: 'Ops:EventTime',
          isEssential: true,
          cell: ({ eventTime }) => formatInstant(eventTime),
        },
        {
          id: 'type',
          title: 'Kind',
          isEssential: true,
          cell: ({ eventTypeCode, eventCategory }) =>
            `${eventTypeCode} · ${t(`Hub::Enum:EventCategory.${eventCategory}`)}`,
        },
        {
          id: 'classifier',
          title: 'State',
          cell: ({ classifier }) => t(`Hub::Enum:EventClassifier.${classifier}`),
        },
        { id: 'port', title: mile('Port'), cell: ({ port }) => port?.unLocode },
        { id: 'text', title: 'AbpUi::DisplayName:Description', cell: ({ description }) => description },
        {
          id: 'source',
          title: 'Hub::DisplayName:Source',
          cell: ({ source }) => t(`Hub::Enum:EventSource.${source}`),
        },
      ]}
    />
  )
}
