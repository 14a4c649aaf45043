import { Group, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

/** The heading of a page, a line that says what it is for, and its buttons. */
export function PageHead({
  title,
  hint,
  children,
}: {
  readonly title: string
  readonly hint?: string
  readonly children?: ReactNode
}) {
  return (
    <Group justify="space-between" align="flex-end" mb="md">
      <Stack gap={2}>
        <Title order={1}>{title}</Title>
        {hint && (
          <Text size="sm" c="dimmed" maw="44rem">
            {hint}
          </Text>
        )}
      </Stack>
      {children && <Group gap="xs">{children}</Group>}
    </Group>
  )
}
