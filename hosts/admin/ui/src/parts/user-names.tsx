import type { UserRow } from '@keel/platform-proxy'
import { useQuery as useTanstackQuery } from '@tanstack/react-query'
import { useApplication } from '../application.js'
import { platform } from '../clients.js'
import { batched } from './batch.js'

type Row = Pick<InstanceType<typeof UserRow>, 'id' | 'userName'>

const nameOf = batched(async (ids) => {
  const { items } = await platform.identity.users.query((q) =>
    q
      .filter((user) => user.id.in([...ids]))
      .select('id', 'userName')
      .top(ids.length),
  )
  return new Map(items.map(({ id, userName }: Row) => [id, userName]))
})

/**
 * The name of a user by the id, "…" until it is there; undefined for callers who may not see users, and for an id that no user has. All names of a
 * page come with one query.
 */
export function useUserName(id: string | null | undefined): string | undefined {
  const { t, host, may } = useApplication()
  const isSelf = Boolean(id) && id === host.currentUser.id
  const { data, isLoading } = useTanstackQuery({
    queryKey: ['user-name', id],
    queryFn: () => nameOf(id as string),
    enabled: Boolean(id) && !isSelf && may('AbpIdentity.Users'),
    staleTime: 300_000,
  })
  if (isSelf) return `${host.currentUser.userName} (${t('You')})`
  return isLoading ? '…' : (data ?? undefined)
}

/** The name of a user, as {@link useUserName} finds it; without one the id. */
export function UserName({ id }: { readonly id: string | null | undefined }) {
  return useUserName(id) ?? id ?? null
}
