import type { RateCardDto, RateSheetReportDto } from '@keel/pricing-proxy'
import { useMutation } from '@keel/react'
import { Button, FileInput, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useApplication } from '../application.js'
import { Dialog } from './dialog.js'
import { Facts } from './facts.js'
import { FaultTable } from './fault-table.js'
import { useTell } from './notices.js'
import { rateCards, rateLanes, rateLines } from './pricing.js'
import { ErrorAlert } from './states.js'
import { type Comparing, type Seen, stampOf, useThingConflict } from './thing-conflict.js'

type Card = InstanceType<typeof RateCardDto>

/** A rate sheet for a draft: checked first, with every faulty cell named, then written whole. */
export function RateSheetDialog({
  card,
  comparing,
  onClose,
}: {
  readonly card: Card
  /** What is shown of the card when it was changed meanwhile. */
  readonly comparing: Comparing<Card>
  readonly onClose: () => void
}) {
  const { t } = useApplication()
  const tell = useTell()
  const { run, isRunning } = useMutation(rateLanes.get, rateLines.get)
  const [file, setFile] = useState<File | null>(null)
  const [checked, setChecked] = useState<{
    readonly report: InstanceType<typeof RateSheetReportDto>
    readonly seen: Seen
  }>()
  const [error, setError] = useState<unknown>()
  const choose = (next: File | null) => {
    setFile(next)
    setChecked(undefined)
    setError(undefined)
  }
  const { perform, conflict } = useThingConflict({
    ...{ thing: card, comparing, isRunning },
    async act(dryRun: boolean, seen) {
      setError(undefined)
      const input = { file: file as never, dryRun, ...stampOf(seen) }
      const report = await run(rateCards.importSheet, card.id, input)
      setChecked({ report, seen })
      if (!report.isWritten) return
      tell(t('Pricing:SheetWritten'))
      onClose()
    },
    refuse: setError,
    // Their version stays for now: the sheet is checked against it.
    lookAgain() {
      void perform(true)
    },
  })
  const { report } = checked ?? {}
  const isGood = report?.faultCount === 0
  return (
    <Dialog size="lg" title={t('Pricing:ImportSheet')} isHeld={isRunning} onClose={onClose}>
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
            <FaultTable
              faults={report.faults}
              count={report.faultCount}
              title={t('Pricing:SheetFaults', { count: report.faultCount })}
            />
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
            onClick={() => void perform(true)}
          >
            {t('Pricing:SheetCheck')}
          </Button>
          {isGood && checked && (
            <Button loading={isRunning} onClick={() => void perform(false, checked.seen)}>
              {t('Import')}
            </Button>
          )}
        </Group>
      </Stack>
      {conflict}
    </Dialog>
  )
}
