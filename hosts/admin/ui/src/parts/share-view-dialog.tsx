import type { SavedViewDto, ShareSavedViewDto } from '@keel/default-proxy'
import { Text, TextInput } from '@mantine/core'
import { useApplication } from '../application.js'
import { Dialog } from './dialog.js'
import { FormBody, useForm } from './form.js'
import { useTell } from './notices.js'
import { OrganizationSelect } from './organizations.js'

/** Shares a view with the holders of a role or the members of an organization; with neither it is private again. */
export function ShareViewDialog({
  view,
  share,
  onClose,
}: {
  readonly view: InstanceType<typeof SavedViewDto>
  readonly share: (input: InstanceType<typeof ShareSavedViewDto>) => Promise<unknown>
  readonly onClose: () => void
}) {
  const { t, may } = useApplication()
  const tell = useTell()
  const form = useForm({
    draft: `share-view:${view.id}`,
    initial: { roleName: view.sharedRoleName ?? '', organizationId: view.sharedOrganizationId },
    async save({ roleName, organizationId }) {
      await share({ roleName: roleName || null, organizationId })
      tell(t('AbpUi::SavedSuccessfully'))
      onClose()
    },
  })
  return (
    <Dialog title={t('ShareView', { name: view.name })} onClose={onClose}>
      <FormBody form={form} onCancel={onClose}>
        <Text size="sm" c="dimmed">
          {t('ShareViewHint')}
        </Text>
        {may('Organization.AccessAll') && (
          <TextInput label={t('AbpIdentity::DisplayName:Role')} {...form.text('roleName')} />
        )}
        {may('Organization.View') && (
          <OrganizationSelect
            label={t('Hub::DisplayName:Organization')}
            value={form.values.organizationId}
            error={form.errorOf('organizationId')}
            onChange={(id) => form.set('organizationId', id)}
          />
        )}
      </FormBody>
    </Dialog>
  )
}
