import { type CargoLineInput, mostCargoLines, type QuoteCargoLineDto } from '@keel/pricing-proxy'
import { Stack, Text } from '@mantine/core'
import { useTexts } from '../application.js'
import type { Form } from './form.js'
import { numberOf, Sheet, type SheetColumn, type SheetRow } from './sheet.js'

const columns: readonly SheetColumn[] = [
  { id: 'quantity', title: 'Pricing:Cargo:Quantity', kind: 'number', width: 6 },
  { id: 'containerTypeCode', title: 'Pricing:Cargo:ContainerType', width: 9 },
  { id: 'packageTypeCode', title: 'Pricing:Cargo:PackageType', width: 9 },
  { id: 'grossWeightKg', title: 'Pricing::DisplayName:Quote:GrossWeightKg', kind: 'number' },
  { id: 'volumeM3', title: 'Pricing::DisplayName:Quote:VolumeM3', kind: 'number' },
  { id: 'lengthCm', title: 'Pricing:Cargo:Length', kind: 'number', width: 6 },
  { id: 'widthCm', title: 'Pricing:Cargo:Width', kind: 'number', width: 6 },
  { id: 'heightCm', title: 'Pricing:Cargo:Height', kind: 'number', width: 6 },
  { id: 'description', title: 'AbpUi::DisplayName:Description', width: 16 },
]

/** A line of cargo in which nothing is typed yet. */
export const emptyCargo: SheetRow = Object.fromEntries(columns.map(({ id }) => [id, '']))

/** The rows of the sheet for cargo that is stored; one empty row for none. */
export function cargoRows(
  lines?: readonly InstanceType<typeof QuoteCargoLineDto>[] | null,
): readonly SheetRow[] {
  const rows = (lines ?? []).map((line) =>
    Object.fromEntries(columns.map(({ id }) => [id, String(line[id as keyof typeof line] ?? '')])),
  )
  return rows.length ? rows : [emptyCargo]
}

/** The cargo lines of a sheet's rows as operations take them. */
export function cargoInput(rows: readonly SheetRow[]): InstanceType<typeof CargoLineInput>[] {
  return rows.map(
    (row) =>
      Object.fromEntries(
        columns.map(({ id, kind }) => [
          id,
          kind === 'number' ? numberOf(row[id]) : String(row[id] ?? '').trim() || null,
        ]),
      ) as unknown as InstanceType<typeof CargoLineInput>,
  )
}

/** The rows of a sheet in words, a line each. */
export function cargoWords(rows: readonly SheetRow[] = []): string {
  return rows.map((row) => columns.flatMap(({ id }) => row[id] || []).join(' · ')).join('\n')
}

/** The cargo lines of a form, as a sheet. */
export function CargoSheet<V extends { cargoLines: readonly SheetRow[] }>({
  form,
}: {
  readonly form: Form<V>
}) {
  const t = useTexts()
  return (
    <Stack gap={4}>
      <Text size="sm" fw={500}>
        {t('Pricing:Cargo')}
      </Text>
      <Text size="xs" c="dimmed">
        {t('Pricing:CargoHint')}
      </Text>
      <Sheet
        label={t('Pricing:Cargo')}
        columns={columns}
        rows={form.values.cargoLines}
        most={mostCargoLines}
        emptyRow={emptyCargo}
        onChange={(rows) => form.set('cargoLines', rows as V['cargoLines'])}
        errorAt={(row, column) => form.errorAt(`cargoLines.${row}.${column}`)}
      />
    </Stack>
  )
}
