import { Button, Modal, Stack, Text } from '@mantine/core'
import { useApplication } from './application.js'
import { useLayer } from './parts/layer.js'

/** Asks the person to sign in again. The page stays as it is below this question, and forms keep what was typed. */
export function SessionEnded() {
  const { t, session } = useApplication()
  const { closing } = useLayer(true)
  return (
    <Modal
      opened
      onClose={() => undefined}
      withCloseButton={false}
      {...closing}
      title={t('SessionEnded')}
      centered
      zIndex={400}
    >
      <Stack>
        <Text size="sm">{t('SessionEndedHint')}</Text>
        <Button onClick={() => void session.signIn()}>{t('SignInAgain')}</Button>
      </Stack>
    </Modal>
  )
}
