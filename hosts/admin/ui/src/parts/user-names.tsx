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

/** The name of a user, by the id; all names of a page come with one query. Without the permission to see users, "you" or the id. */
export function UserName({ id }: { readonly id: string | null | undefined }) {
  const { t, host, may } = useApplication()
  const isSelf = id === host.currentUser.id
  const { data } = useTanstackQuery({
    queryKey: ['user-name', id],
    queryFn: () => nameOf(id as string),
    enabled: Boolean(id) && !isSelf && may('AbpIdentity.Users'),
    staleTime: 300_000,
  })
  if (!id) return null
  return isSelf ? `${host.currentUser.userName} (${t('You')})` : (data ?? id)
}
