import { AddressRole, type ShipmentAddressDto, ShipmentPermissions } from '@keel/hub-proxy'
import { useMutation } from '@keel/react'
import { Button, Card, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useApplication } from '../application.js'
import { Confirm } from './confirm.js'
import { RowMenu } from './data-list.js'
import { enumOptions, type Field } from './fields.js'
import { shipments } from './hub.js'
import { Icon } from './icons.js'
import { OrganizationSelect } from './organizations.js'
import { PartDialog, type Whole } from './part-dialog.js'
import { isShipmentOpen, type Shipment } from './shipment-actions.js'

type Party = InstanceType<typeof ShipmentAddressDto>
const own = (name: string) => `Hub::DisplayName:ShipmentAddress:${name}`

const fields: readonly Field<ReturnType<typeof valuesOf>>[] = [
  { name: 'role', title: own('Role'), kind: 'enum', isRequired: true },
  { name: 'organizationId', title: 'Hub::DisplayName:Organization', kind: 'pick', pick: OrganizationSelect },
  { name: 'companyName', title: own('CompanyName'), hint: 'Ops:CompanyNameHint' },
  { name: 'contactName', title: own('ContactName') },
  { name: 'addressLine1', title: own('AddressLine1') },
  { name: 'addressLine2', title: own('AddressLine2') },
  { name: 'postalCode', title: own('PostalCode') },
  { name: 'city', title: 'Hub::DisplayName:City' },
  { name: 'stateProvince', title: own('StateProvince') },
  { name: 'countryCode', title: 'Hub::DisplayName:Country', hint: 'CountryCodeHint' },
  { name: 'phone', title: own('Phone') },
  { name: 'email', title: own('Email'), kind: 'email' },
  { name: 'taxNumber', title: 'Hub::DisplayName:TaxNumber' },
]

function valuesOf(party: Party | undefined) {
  return {
    role: (party?.role ?? null) as AddressRole | null,
    organizationId: party?.organizationId ?? null,
    companyName: party?.companyName ?? '',
    contactName: party?.contactName ?? '',
    addressLine1: party?.addressLine1 ?? '',
    addressLine2: party?.addressLine2 ?? '',
    postalCode: party?.postalCode ?? '',
    city: party?.city ?? '',
    stateProvince: party?.stateProvince ?? '',
    countryCode: party?.countryCode ?? '',
    phone: party?.phone ?? '',
    email: party?.email ?? '',
    taxNumber: party?.taxNumber ?? '',
  }
}

function partiesOf({ addresses, concurrencyStamp }: Shipment): Whole<Party> {
  return { parts: addresses ?? [], stamp: concurrencyStamp }
}

/** The parties of a shipment with their addresses: to add, change and take away. */
export function ShipmentParties({ shipment }: { readonly shipment: Shipment }) {
  const { t, may } = useApplication()
  const [edited, edit] = useState<Party | 'new'>()
  const [removed, remove] = useState<Party>()
  const { run } = useMutation()
  const mayEdit = may(ShipmentPermissions.Edit) && isShipmentOpen(shipment)
  const parties = shipment.addresses ?? []
  const roleOf = ({ role }: Party) => t(`Hub::Enum:AddressRole.${role}`)
  return (
    <Stack gap="sm" component="section">
      <Group justify="space-between">
        <Title order={2}>{t('Hub::DisplayName:Shipment:Addresses')}</Title>
        {mayEdit && (
          <Button
            size="xs"
            variant="default"
            leftSection={<Icon name="plus" size={16} />}
            onClick={() => edit('new')}
          >
            {t('Ops:AddParty')}
          </Button>
        )}
      </Group>
      {parties.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('Ops:NoPartiesHint')}
        </Text>
      )}
      <SimpleGrid cols={{ base: 1, sm: 2, xl: 3 }} spacing="sm">
        {parties.map((party) => (
          <Card key={party.id} withBorder padding="sm">
            <Group justify="space-between" align="flex-start" wrap="nowrap">
              <Stack gap={0} style={{ minWidth: 0 }}>
                <Text size="xs" c="dimmed">
                  {roleOf(party)}
                </Text>
                <Text size="sm" fw={550}>
                  {party.companyName}
                </Text>
                <Text size="sm" c="dimmed" className="keel-break">
                  {addressOf(party)}
                </Text>
                {contactOf(party) && (
                  <Text size="sm" c="dimmed" className="keel-break">
                    {contactOf(party)}
                  </Text>
                )}
              </Stack>
              {mayEdit && (
                <RowMenu
                  row={party}
                  name={`${roleOf(party)}, ${party.companyName}`}
                  actions={[
                    { title: 'AbpUi::Edit', icon: 'edit', run: edit },
                    { title: 'Remove', icon: 'trash', isDangerous: true, run: remove },
                  ]}
                />
              )}
            </Group>
          </Card>
        ))}
      </SimpleGrid>
      {edited && (
        <PartDialog
          title={t(edited === 'new' ? 'Ops:AddParty' : 'Ops:EditParty')}
          draft={`party:${shipment.id}:${edited === 'new' ? 'new' : edited.id}`}
          part={edited === 'new' ? undefined : edited}
          whole={partiesOf(shipment)}
          load={async () => partiesOf(await shipments.get(shipment.id))}
          isSame={(one, other) => one.role === other.role && one.sequence === other.sequence}
          valuesOf={valuesOf}
          fields={fields.map((field) =>
            field.name === 'role'
              ? { ...field, options: enumOptions(t, 'Hub::Enum:AddressRole', AddressRole) }
              : field,
          )}
          fieldOfCode={{ DuplicateRole: 'role', OrganizationNotAccessible: 'organizationId' }}
          asInput={asInput}
          save={(addresses, concurrencyStamp) =>
            run(shipments.setAddresses, shipment.id, { addresses: addresses as never, concurrencyStamp })
          }
          onClose={() => edit(undefined)}
        />
      )}
      {removed && (
        <Confirm
          title={t('Remove')}
          action={t('Remove')}
          onConfirm={() =>
            run(shipments.setAddresses, shipment.id, {
              addresses: parties.filter(({ id }) => id !== removed.id).map(asInput),
              concurrencyStamp: shipment.concurrencyStamp,
            })
          }
          onClose={() => remove(undefined)}
        >
          {t('Ops:RemovePartyHint', { name: removed.companyName, role: roleOf(removed) })}
        </Confirm>
      )}
    </Stack>
  )
}

function addressOf({ addressLine1, addressLine2, postalCode, city, stateProvince, countryCode }: Party) {
  const place = [postalCode, city].filter(Boolean).join(' ')
  return [addressLine1, addressLine2, place, stateProvince, countryCode].filter(Boolean).join(', ')
}

function contactOf({ contactName, phone, email }: Party): string {
  return [contactName, phone, email].filter(Boolean).join(' · ')
}

/** A party as it is written again when another one changes. Its place among those of its role follows from the order. */
function asInput({ id: _, sequence: __, ...party }: Party) {
  return party
}
