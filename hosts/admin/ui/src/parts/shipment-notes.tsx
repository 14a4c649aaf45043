import {
  NoteVisibility,
  ReferenceType,
  type ShipmentNoteDto,
  ShipmentPermissions,
  type ShipmentReferenceNumberDto,
} from '@keel/hub-proxy'
import { Badge, Card, Group, Text } from '@mantine/core'
import { useApplication } from '../application.js'
import { EditDialog, type Editing } from './edit-dialog.js'
import { enumOptions } from './fields.js'
import { useFormats } from './formats.js'
import { shipmentNotes, shipmentReferenceNumbers, shipments } from './hub.js'
import { isShipmentOpen, type Shipment } from './shipment-actions.js'
import { SmallList } from './small-list.js'
import { UserName } from './user-names.js'

type Note = InstanceType<typeof ShipmentNoteDto>
type Reference = InstanceType<typeof ShipmentReferenceNumberDto>
const dayMs = 24 * 3_600_000

function noteValues(note?: Note) {
  return {
    text: note?.text ?? '',
    subject: note?.subject ?? '',
    visibility: note?.visibility ?? NoteVisibility.Customer,
    isPinned: note?.isPinned ?? false,
  }
}

/** The conversation on a shipment. Internal notes are marked as such. */
export function Notes({ shipment }: { readonly shipment: Shipment }) {
  const { t, may, host, formatInstant } = useApplication()
  const own = (name: string) => `Hub::DisplayName:ShipmentNote:${name}`
  const mayEdit = may(ShipmentPermissions.Edit) && isShipmentOpen(shipment)
  const editingOf = (isNew: boolean): Editing<Note, ReturnType<typeof noteValues>> => ({
    draft: `note:${shipment.id}`,
    get: shipmentNotes.get,
    create: shipmentNotes.create as never,
    update: shipmentNotes.update as never,
    valuesOf: noteValues,
    sendsChangesOnly: true,
    toInput: (values) => (isNew ? { ...values, shipmentId: shipment.id } : values),
    fields: [
      { name: 'text', title: own('Text'), kind: 'area', isRequired: true },
      { name: 'subject', title: own('Subject') },
      {
        name: 'visibility',
        title: own('Visibility'),
        kind: 'enum',
        isRequired: true,
        isShown: () => may(ShipmentPermissions.ViewInternalNotes),
        options: enumOptions(t, 'Hub::Enum:NoteVisibility', NoteVisibility),
      },
      { name: 'isPinned', title: own('IsPinned'), kind: 'check' },
    ],
  })
  const isOwnAndFresh = ({ creatorId, creationTime }: Note) =>
    creatorId === host.currentUser.id && Date.now() - creationTime.getTime() < dayMs
  return (
    <SmallList
      title="Hub::DisplayName:Shipment:Notes"
      list={shipmentNotes.getList}
      input={{ shipmentId: shipment.id }}
      emptyHint="Ops:NoNotesHint"
      columns={[
        { id: 'text', title: own('Text'), cell: ({ subject, text }) => subject || text.slice(0, 40) },
      ]}
      onWrittenRow={(note, menu) => (
        <Card withBorder padding="sm">
          <Group justify="space-between" wrap="nowrap" align="flex-start">
            <div style={{ minWidth: 0 }}>
              <Group gap="xs">
                <Text size="xs" c="dimmed">
                  {formatInstant(note.creationTime)} · <UserName id={note.creatorId} />
                </Text>
                {note.visibility === NoteVisibility.Internal && (
                  <Badge size="sm" variant="light" color="orange">
                    {t('Hub::Enum:NoteVisibility.0')}
                  </Badge>
                )}
                {note.isPinned && (
                  <Badge size="sm" variant="light">
                    {t(own('IsPinned'))}
                  </Badge>
                )}
              </Group>
              {note.subject && (
                <Text size="sm" fw={600}>
                  {note.subject}
                </Text>
              )}
              <Text size="sm" className="keel-break" style={{ whiteSpace: 'pre-line' }}>
                {note.text}
              </Text>
            </div>
            {isOwnAndFresh(note) && menu}
          </Group>
        </Card>
      )}
      work={{
        newTitle: mayEdit && 'Ops:AddNote',
        mayEdit,
        dialog: (id, onClose) => (
          <EditDialog
            id={id}
            title={t(id ? 'Hub::Entity:ShipmentNote' : 'Ops:AddNote')}
            editing={editingOf(id === undefined)}
            onClose={onClose}
          />
        ),
      }}
      removal={
        mayEdit && {
          call: shipmentNotes.delete,
          warn: ({ subject, text }) => t('Ops:DeleteRowHint', { name: subject || text.slice(0, 80) }),
        }
      }
    />
  )
}

function referenceValues(reference?: Reference) {
  return {
    referenceType: (reference?.referenceType ?? null) as ReferenceType | null,
    value: reference?.value ?? '',
    issueDate: reference?.issueDate ?? '',
  }
}

/** The further references that a shipment is known by. */
export function References({ shipment }: { readonly shipment: Shipment }) {
  const { t, may } = useApplication()
  const formats = useFormats()
  const own = (name: string) => `Hub::DisplayName:ShipmentReferenceNumber:${name}`
  const mayEdit = may(ShipmentPermissions.Edit) && isShipmentOpen(shipment)
  const editingOf = (isNew: boolean): Editing<Reference, ReturnType<typeof referenceValues>> => ({
    draft: `reference:${shipment.id}`,
    get: shipmentReferenceNumbers.get,
    create: shipmentReferenceNumbers.create as never,
    update: shipmentReferenceNumbers.update as never,
    valuesOf: referenceValues,
    sendsChangesOnly: true,
    toInput: (values) => (isNew ? { ...values, shipmentId: shipment.id } : values),
    alsoInvalidates: [shipments.get],
    fieldOfCode: { AlreadyExists: 'value', InvalidAirWaybill: 'value' },
    fields: [
      {
        name: 'referenceType',
        title: own('ReferenceType'),
        kind: 'enum',
        isRequired: true,
        options: enumOptions(t, 'Hub::Enum:ReferenceType', ReferenceType),
      },
      { name: 'value', title: own('Value'), isRequired: true },
      { name: 'issueDate', title: own('IssueDate'), kind: 'date' },
    ],
  })
  return (
    <SmallList
      title="Hub::DisplayName:Shipment:ReferenceNumbers"
      list={shipmentReferenceNumbers.getList}
      input={{ shipmentId: shipment.id }}
      emptyHint="Ops:NoReferencesHint"
      alsoInvalidates={[shipments.get]}
      columns={[
        { id: 'value', title: own('Value'), isEssential: true, cell: ({ value }) => value },
        {
          id: 'type',
          title: own('ReferenceType'),
          isEssential: true,
          cell: ({ referenceType }) => t(`Hub::Enum:ReferenceType.${referenceType}`),
        },
        { id: 'date', title: own('IssueDate'), cell: ({ issueDate }) => formats.date(issueDate) },
      ]}
      work={{
        newTitle: mayEdit && 'Ops:AddReference',
        mayEdit,
        dialog: (id, onClose) => (
          <EditDialog
            id={id}
            title={t(id ? 'Hub::Entity:ShipmentReferenceNumber' : 'Ops:AddReference')}
            editing={editingOf(id === undefined)}
            onClose={onClose}
          />
        ),
      }}
      removal={
        mayEdit && {
          call: shipmentReferenceNumbers.delete,
          warn: ({ value }) => t('Ops:DeleteRowHint', { name: value }),
        }
      }
    />
  )
}
