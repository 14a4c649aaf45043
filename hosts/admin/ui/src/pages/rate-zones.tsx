import { type RateZoneDto, type RateZoneMemberDto, RateZonePermissions } from '@keel/pricing-proxy'
import { useMutation, useQuery } from '@keel/react'
import { Group, Skeleton, Stack, Text } from '@mantine/core'
import { useApplication } from '../application.js'
import { useQuestion } from '../parts/confirm.js'
import type { Column, RowAction } from '../parts/data-list.js'
import { Drawer } from '../parts/drawer.js'
import { EditDialog, type Editing } from '../parts/edit-dialog.js'
import { type Field, Fields, inputOf } from '../parts/fields.js'
import { FormBody, useForm } from '../parts/form.js'
import { ListFiles } from '../parts/list-files.js'
import { codeAndName, ListPage } from '../parts/list-page.js'
import { lookups, rateZoneMembers, rateZones } from '../parts/pricing.js'
import { RemoveButton } from '../parts/remove-button.js'
import { EmptyState, ErrorAlert } from '../parts/states.js'
import { useUrlState } from '../parts/url-state.js'

type Zone = InstanceType<typeof RateZoneDto>
type Member = InstanceType<typeof RateZoneMemberDto>

const valuesOf = (zone?: Zone) => ({
  code: zone?.code ?? '',
  name: zone?.name ?? '',
  description: zone?.description ?? '',
  concurrencyStamp: zone?.concurrencyStamp ?? '',
})

const editing: Editing<Zone, ReturnType<typeof valuesOf>> = {
  draft: 'rate-zone',
  ownFields: 'Pricing.RateZone',
  get: rateZones.get,
  create: rateZones.create as never,
  update: rateZones.update as never,
  valuesOf,
  fields: [
    {
      name: 'code',
      title: 'Pricing::DisplayName:RateZone:Code',
      hint: 'Pricing:ZoneCodeHint',
      isRequired: true,
    },
    { name: 'name', title: 'AbpUi::DisplayName:Name', isRequired: true },
    { name: 'description', title: 'AbpUi::DisplayName:Description', kind: 'area' },
  ],
  fieldOfCode: { CodeAlreadyExists: 'code' },
}

/** Named sets of ports and countries, for lanes, surcharges and margins. */
export function Page() {
  const { t, may } = useApplication()
  const [url, setUrl] = useUrlState()
  const columns: Column<Zone>[] = [
    ...codeAndName<Zone>({ code: 'Pricing::DisplayName:RateZone:Code' }),
    { id: 'description', title: 'AbpUi::DisplayName:Description', cell: ({ description }) => description },
  ]
  const actions: RowAction<Zone>[] = [
    { title: 'Pricing:ZoneMembers', icon: 'globe', run: ({ id }) => setUrl({ members: id }, true) },
  ]
  return (
    <ListPage
      title="Pricing:Zones"
      hint="Pricing:ZonesHint"
      icon="globe"
      emptyHint="Pricing:NoZonesHint"
      views="RateZones"
      list={rateZones.getList}
      columns={columns}
      actions={actions}
      commands={<ListFiles excel={rateZones.getListAsExcelFile} csv={rateZones.getListAsCsvFile} />}
      onOpen={({ id }) => setUrl({ members: id }, true)}
      work={{
        newTitle: may(RateZonePermissions.Create) && 'Pricing:NewZone',
        mayEdit: may(RateZonePermissions.Edit),
        dialog: (id, onClose) => (
          <EditDialog
            id={id}
            title={t(id ? 'Pricing::Entity:RateZone' : 'Pricing:NewZone')}
            editing={editing}
            mayChange={may(id ? RateZonePermissions.Edit : RateZonePermissions.Create)}
            onClose={onClose}
          />
        ),
      }}
      removal={
        may(RateZonePermissions.Delete) && {
          call: rateZones.delete,
          warn: ({ code, name }) => t('Pricing:DeleteZoneHint', { name: `${code} · ${name}` }),
        }
      }
    >
      {url['members'] && <Members zoneId={url['members']} onClose={() => setUrl({ members: undefined })} />}
    </ListPage>
  )
}

/** The ports and countries of a zone. */
function Members({ zoneId, onClose }: { readonly zoneId: string; readonly onClose: () => void }) {
  const { t, may } = useApplication()
  const { ask, question } = useQuestion()
  const { run } = useMutation()
  const zone = useQuery(rateZones.get, zoneId)
  const members = useQuery(rateZoneMembers.getList, { rateZoneId: zoneId, maxResultCount: 1000 })
  const placeOf = ({ unLocode, countryCode }: Member) => unLocode ?? countryCode ?? ''
  return (
    <Drawer onClose={onClose} size="md" title={zone.data ? `${zone.data.code} · ${zone.data.name}` : ''}>
      <Stack>
        {may(RateZonePermissions.Edit) && <NewMember rateZoneId={zoneId} />}
        {members.error && <ErrorAlert error={members.error} retry={() => void members.refetch()} />}
        {members.isPending && <Skeleton height={160} />}
        {members.data?.items.length === 0 && (
          <EmptyState icon="globe" title={t('NothingYet')}>
            {t('Pricing:NoZoneMembersHint')}
          </EmptyState>
        )}
        {[...(members.data?.items ?? [])]
          .sort((one, other) => placeOf(one).localeCompare(placeOf(other)))
          .map((member) => (
            <Group key={member.id} justify="space-between" wrap="nowrap">
              <Text size="sm">
                {placeOf(member)}{' '}
                <Text span size="xs" c="dimmed">
                  {t(`Pricing::Enum:LanePointType.${member.unLocode ? 0 : 2}`)}
                </Text>
              </Text>
              {may(RateZonePermissions.Edit) && (
                <RemoveButton
                  label={`${t('Remove')}: ${placeOf(member)}`}
                  onClick={() =>
                    ask({
                      action: t('Remove'),
                      words: t('Pricing:RemoveZoneMemberHint', {
                        name: placeOf(member),
                        zone: zone.data?.code ?? '',
                      }),
                      run: () => run(rateZoneMembers.delete, member.id),
                      done: t('AbpUi::DeletedSuccessfully'),
                    })
                  }
                />
              )}
            </Group>
          ))}
      </Stack>
      {question}
    </Drawer>
  )
}

const nobody = { unLocode: '', countryCode: '' }

function NewMember({ rateZoneId }: { readonly rateZoneId: string }) {
  const { t } = useApplication()
  const { run } = useMutation()
  const fields: readonly Field<typeof nobody>[] = [
    { name: 'unLocode', title: 'Pricing::Enum:LanePointType.0', kind: 'code', lookup: lookups.port },
    { name: 'countryCode', title: 'Pricing::Enum:LanePointType.2', hint: 'CountryCodeHint' },
  ]
  const form = useForm({
    draft: `zone-member:${rateZoneId}`,
    initial: nobody,
    async save(values) {
      await run(rateZoneMembers.create, { ...inputOf(values, fields), rateZoneId } as never)
      form.reset(nobody)
    },
    fieldOfCode: { UnknownPort: 'unLocode' },
  })
  return (
    <FormBody form={form} submitText={t('Pricing:AddMember')}>
      <Fields form={form} fields={fields} />
    </FormBody>
  )
}
