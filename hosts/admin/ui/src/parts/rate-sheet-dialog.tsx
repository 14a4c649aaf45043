import type { RateCardDto, RateSheetReportDto } from '@keel/pricing-proxy'
import { useMutation } from '@keel/react'
import { Alert, Button, FileInput, Group, Modal, Stack, Table, Text } from '@mantine/core'
import { useState } from 'react'
import { useApplication } from '../application.js'
import { Facts } from './facts.js'
import { useTell } from './notices.js'
import { rateCards, rateLanes, rateLines } from './pricing.js'
import { ErrorAlert } from './states.js'

/** A rate sheet for a draft: checked first, with every faulty cell named, then written whole. */
export function RateSheetDialog({
  card,
  onClose,
}: {
  readonly card: InstanceType<typeof RateCardDto>
  readonly onClose: () => void
}) {
  const { t } = useApplication()
  const tell = useTell()
  const { run, isRunning } = useMutation(rateLanes.get, rateLines.get)
  const [file, setFile] = useState<File | null>(null)
  const [report, setReport] = useState<InstanceType<typeof RateSheetReportDto>>()
  const [error, setError] = useState<unknown>()
  const choose = (next: File | null) => {
    setFile(next)
    setReport(undefined)
    setError(undefined)
  }
  const send = async (dryRun: boolean) => {
    setError(undefined)
    try {
      const input = { file: file as never, dryRun, concurrencyStamp: card.concurrencyStamp }
      const answer = await run(rateCards.importSheet, card.id, input)
      setReport(answer)
      if (!answer.isWritten) return
      tell(t('Pricing:SheetWritten'))
      onClose()
    } catch (refusal) {
      setError(refusal)
    }
  }
  const isGood = report?.faultCount === 0
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={t('Pricing:ImportSheet')}
      closeButtonProps={{ 'aria-label': t('AbpUi::Close') }}
    >
      <Stack>
        <Text size="sm">{t('Pricing:ImportSheetHint')}</Text>
        <FileInput
          label={t('ChooseFile')}
          accept=".xlsx,.csv"
          clearable
          clearButtonProps={{ 'aria-label': t('Remove') }}
          value={file}
          onChange={choose}
        />
        {error !== undefined && <ErrorAlert error={error} />}
        <div role="status">
          {report && !isGood && (
            <Alert color="red" variant="light" title={t('Pricing:SheetFaults', { count: report.faultCount })}>
              <Table verticalSpacing={4}>
                <Table.Tbody>
                  {report.faults.slice(0, mostShown).map(({ row, column, value, message }, index) => (
                    // Faults have no id, and their order stays.
                    <Table.Tr key={index}>
                      <Table.Td>
                        {row !== null && t('Pricing:SheetPlace', { row, column: column ?? '' })}
                      </Table.Td>
                      <Table.Td className="keel-break">{value}</Table.Td>
                      <Table.Td>{message}</Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
              {report.faultCount > mostShown && (
                <Text size="sm">{t('AndMore', { count: report.faultCount - mostShown })}</Text>
              )}
            </Alert>
          )}
          {report && isGood && (
            <>
              <Text size="sm">{t('Pricing:SheetIsGood')}</Text>
              <Facts
                facts={[
                  ['Pricing:Lanes', t('Pricing:SheetChanges', report.lanes)],
                  ['Pricing:Lines', t('Pricing:SheetChanges', report.lines)],
                  ['Pricing:Breaks', t('Pricing:SheetChanges', report.breaks)],
                ]}
              />
            </>
          )}
        </div>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('AbpUi::Cancel')}
          </Button>
          <Button
            variant={isGood ? 'default' : 'filled'}
            disabled={!file}
            loading={isRunning}
            onClick={() => void send(true)}
          >
            {t('Pricing:SheetCheck')}
          </Button>
          {isGood && (
            <Button loading={isRunning} onClick={() => void send(false)}>
              {t('Import')}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  )
}

/** The most faults that the dialog lists. */
const mostShown = 50
