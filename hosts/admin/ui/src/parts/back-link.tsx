import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { stateOfList } from './url-state.js'

/** The way from the page of a thing back to its list, filtered and ordered as it was left. */
export function BackLink({ to, title }: { readonly to: string; readonly title: string }) {
  return (
    <Anchor component={Link} to={to as never} search={stateOfList(to) as never} size="sm">
      ← {title}
    </Anchor>
  )
}
