import type { UserRow } from '@keel/platform-proxy'
import { useQuery as useTanstackQuery } from '@tanstack/react-query'
import { useApplication } from '../application.js'
import { platform } from '../clients.js'

type Row = Pick<InstanceType<typeof UserRow>, 'id' | 'userName'>
/** The ids that are asked for in this turn, and the one query that answers all of them. */
let waiting: { ids: Set<string>; answer: Promise<ReadonlyMap<string, string>> } | undefined

/** The name of a user, by the id; all names of a page come with one query. Without the permission to see users, "you" or the id. */
export function UserName({ id }: { readonly id: string | null | undefined }) {
  const { t, host, may } = useApplication()
  const isSelf = id === host.currentUser.id
  const { data } = useTanstackQuery({
    queryKey: ['user-name', id],
    queryFn: async () => (await namesOf(id as string)).get(id as string) ?? null,
    enabled: Boolean(id) && !isSelf && may('AbpIdentity.Users'),
    staleTime: 300_000,
  })
  if (!id) return null
  return isSelf ? `${host.currentUser.userName} (${t('You')})` : (data ?? id)
}

function namesOf(id: string): Promise<ReadonlyMap<string, string>> {
  if (!waiting) {
    const ids = new Set<string>()
    const answer = new Promise<void>((resolve) => setTimeout(resolve, 10)).then(async () => {
      waiting = undefined
      const { items } = await platform.identity.users.query((q) =>
        q
          .filter((user) => user.id.in([...ids]))
          .select('id', 'userName')
          .top(ids.size),
      )
      return new Map(items.map(({ id: found, userName }: Row) => [found, userName]))
    })
    waiting = { ids, answer }
  }
  waiting.ids.add(id)
  return waiting.answer
}
