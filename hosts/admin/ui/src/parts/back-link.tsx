import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'

/** The way from the page of a thing back to its list. */
export function BackLink({ to, title }: { readonly to: string; readonly title: string }) {
  return (
    <Anchor component={Link} to={to as never} size="sm">
      ← {title}
    </Anchor>
  )
}
