import { Group, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

/** The heading of a page, a line that says what it is for, and its buttons. */
export function PageHead({
  title,
  hint,
  badge,
  children,
}: {
  readonly title: string
  readonly hint?: string
  /** Beside the heading, e.g. a status. */
  readonly badge?: ReactNode
  readonly children?: ReactNode
}) {
  return (
    <Group justify="space-between" align="flex-end" mb="md">
      <Stack gap={2}>
        <Group gap="sm">
          <Title order={1}>{title}</Title>
          {badge}
        </Group>
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
