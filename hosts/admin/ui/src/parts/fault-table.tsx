import '@mantine/core/styles/Table.css'
import { Alert, Table, Text } from '@mantine/core'
import { useApplication } from '../application.js'

/** The most faults that are shown. */
const mostShown = 50

/** A fault of a file as servers tell it. */
export interface FileFault {
  readonly row: number | null
  readonly column: string | null
  readonly value: string | null
  readonly message: string
}

/** What is wrong with a file: the first faults, each with its place. */
export function FaultTable({
  faults,
  count,
  title,
}: {
  readonly faults: readonly FileFault[]
  /** Of all faults; `faults` may be the first of them. */
  readonly count: number
  readonly title: string
}) {
  const { t, formatNumber } = useApplication()
  return (
    <Alert color="red" variant="light" title={title}>
      <Table verticalSpacing={4}>
        <Table.Tbody>
          {faults.slice(0, mostShown).map(({ row, column, value, message }, index) => (
            // Faults have no id, and their order stays.
            <Table.Tr key={index}>
              <Table.Td>{row !== null && t('Pricing:SheetPlace', { row, column: column ?? '' })}</Table.Td>
              <Table.Td className="keel-break">{value}</Table.Td>
              <Table.Td>{message}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {count > mostShown && <Text size="sm">{t('AndMore', { count: formatNumber(count - mostShown) })}</Text>}
    </Alert>
  )
}
