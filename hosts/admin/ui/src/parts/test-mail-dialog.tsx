import { type Call, useMutation, useQuery } from '@keel/react'
import { Skeleton } from '@mantine/core'
import { useApplication } from '../application.js'
import { Dialog } from './dialog.js'
import { type Field, Fields } from './fields.js'
import { FormBody, useForm } from './form.js'
import { useTell } from './notices.js'
import { ErrorAlert } from './states.js'

interface TestMail {
  senderEmailAddress: string
  targetEmailAddress: string
  subject: string
  body: string
}

const fields: readonly Field<TestMail>[] = [
  {
    name: 'senderEmailAddress',
    title: 'AbpSettingManagement::SenderEmailAddress',
    kind: 'email',
    isRequired: true,
  },
  {
    name: 'targetEmailAddress',
    title: 'AbpSettingManagement::TargetEmailAddress',
    kind: 'email',
    isRequired: true,
  },
  { name: 'subject', title: 'AbpSettingManagement::Subject', isRequired: true },
  { name: 'body', title: 'AbpSettingManagement::Body', kind: 'area' },
]

/** Sends a message at once, with the settings that are stored, and shows what the mail server says of it. */
export function TestMailDialog({
  send,
  load,
  onClose,
}: {
  readonly send: Call<[input: TestMail], void>
  readonly load: Call<[], { readonly defaultFromAddress: string }>
  readonly onClose: () => void
}) {
  const { t } = useApplication()
  const settings = useQuery(load)
  return (
    <Dialog title={t('AbpSettingManagement::SendTestEmail')} onClose={onClose}>
      {settings.error && <ErrorAlert error={settings.error} retry={() => void settings.refetch()} />}
      {settings.data ? (
        <TestMailForm sender={settings.data.defaultFromAddress} send={send} onClose={onClose} />
      ) : (
        !settings.error && <Skeleton height={200} />
      )}
    </Dialog>
  )
}

function TestMailForm({
  sender,
  send,
  onClose,
}: {
  readonly sender: string
  readonly send: Call<[input: TestMail], void>
  readonly onClose: () => void
}) {
  const { t, host } = useApplication()
  const tell = useTell()
  const { run } = useMutation()
  const form = useForm<TestMail>({
    draft: 'test-mail',
    initial: {
      senderEmailAddress: sender,
      targetEmailAddress: host.currentUser.email ?? '',
      subject: t('AbpSettingManagement::TestEmailSubject').replace('{0}', ''),
      body: t('AbpSettingManagement::TestEmailBody'),
    },
    async save(values) {
      await run(send, values)
      tell(t('AbpSettingManagement::SentSuccessfully'))
      onClose()
    },
  })
  return (
    <FormBody form={form} onCancel={onClose} submitText={t('AbpSettingManagement::Send')}>
      <Fields form={form} fields={fields} />
    </FormBody>
  )
}
