import { ConsolPermissions, ConsolType, PaymentTerm } from '@keel/hub-proxy'
import { useNavigate } from '@tanstack/react-router'
import { useApplication } from '../application.js'
import type { Consol } from './consol-actions.js'
import { EditDialog, type Editing } from './edit-dialog.js'
import { enumOptions, type Field, localTime } from './fields.js'
import { consols, shipments } from './hub.js'
import { CarrierSelect, useCodes } from './hub-selects.js'
import { OrganizationSelect } from './organizations.js'

const own = (name: string) => `Ops:Consol:${name}`

function valuesOf(consol?: Consol) {
  return {
    transportModeId: consol?.transportModeId ?? null,
    containerModeId: consol?.containerModeId ?? null,
    consolType: consol?.consolType ?? ConsolType.Direct,
    carrierId: consol?.carrierId ?? null,
    masterBillNumber: consol?.masterBillNumber ?? '',
    bookingReference: consol?.bookingReference ?? '',
    sendingAgentId: consol?.sendingAgentId ?? null,
    receivingAgentId: consol?.receivingAgentId ?? null,
    cargoCutOff: localTime(consol?.cargoCutOff),
    documentCutOff: localTime(consol?.documentCutOff),
    vgmCutOff: localTime(consol?.vgmCutOff),
    paymentTerm: consol?.paymentTerm ?? PaymentTerm.Prepaid,
    concurrencyStamp: consol?.concurrencyStamp ?? '',
  }
}
type Values = ReturnType<typeof valuesOf>

/** Creates a consol, and opens its page; or changes one. */
export function ConsolDialog({
  id,
  onClose,
}: {
  readonly id: string | undefined
  readonly onClose: () => void
}) {
  const { t, may } = useApplication()
  const navigate = useNavigate()
  const fields: readonly Field<Values>[] = [
    {
      name: 'transportModeId',
      title: 'Hub::DisplayName:TransportMode',
      kind: 'choice',
      options: useCodes('TransportMode'),
      isRequired: true,
    },
    {
      name: 'containerModeId',
      title: 'Hub::DisplayName:Shipment:ContainerMode',
      kind: 'choice',
      options: useCodes('ContainerMode'),
    },
    {
      name: 'consolType',
      title: 'Kind',
      kind: 'enum',
      options: enumOptions(t, 'Hub::Enum:ConsolType', ConsolType),
      isRequired: true,
    },
    { name: 'carrierId', title: 'Hub::Entity:Carrier', kind: 'pick', pick: CarrierSelect },
    { name: 'masterBillNumber', title: 'Hub::DisplayName:Shipment:MasterBillNumber' },
    { name: 'bookingReference', title: 'Hub::DisplayName:Shipment:BookingReference' },
    { name: 'sendingAgentId', title: 'Hub::Enum:AddressRole.7', kind: 'pick', pick: OrganizationSelect },
    { name: 'receivingAgentId', title: 'Hub::Enum:AddressRole.8', kind: 'pick', pick: OrganizationSelect },
    { name: 'cargoCutOff', title: own('CargoCutOff'), hint: 'Ops:CargoCutOffHint', kind: 'instant' },
    { name: 'documentCutOff', title: own('DocumentCutOff'), kind: 'instant' },
    { name: 'vgmCutOff', title: own('VgmCutOff'), kind: 'instant' },
    {
      name: 'paymentTerm',
      title: own('PaymentTerm'),
      kind: 'enum',
      options: enumOptions(t, 'Hub::Enum:PaymentTerm', PaymentTerm),
      isRequired: true,
    },
  ]
  const editing: Editing<Consol, Values> = {
    draft: 'consol',
    ownFields: 'Hub.Consol',
    get: consols.get,
    create: consols.create as never,
    update: consols.update as never,
    valuesOf,
    fields,
    sendsChangesOnly: true,
    alsoInvalidates: [shipments.get],
    fieldOfCode: { InvalidMasterBill: 'masterBillNumber', TransportModeMismatch: 'transportModeId' },
  }
  return (
    <EditDialog
      id={id}
      title={t(id ? 'Ops:EditConsol' : 'Ops:NewConsol')}
      editing={editing}
      mayChange={may(id ? ConsolPermissions.Edit : ConsolPermissions.Create)}
      onClose={onClose}
      {...(id === undefined && {
        onSaved: (created) => void navigate({ to: `/consols/${(created as Consol).id}` as never }),
      })}
    />
  )
}
