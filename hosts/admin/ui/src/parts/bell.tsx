import { keyOf, serviceKeyOf } from '@keel/react'
import { ActionIcon } from '@mantine/core'
import { useQueryClient, useQuery as useTanstackQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useApplication } from '../application.js'
import { useLive, useLiveQueries } from '../use-live.js'
import { Icon } from './icons.js'
import { notifications } from './notifications.js'

/** Time between two questions for the number while the server pushes no events, and while it does: an event may be lost. */
const askEveryMs = 30_000
const askRarelyMs = 5 * 60_000

/** The way to the inbox, with the number of unread notifications as the server pushes it. */
export function Bell() {
  const { t, formatNumber, live } = useApplication()
  const client = useQueryClient()
  const { data } = useTanstackQuery({
    queryKey: keyOf(notifications.getUnreadCount),
    queryFn: () => notifications.getUnreadCount(),
    refetchInterval: () => (live.isOpen ? askRarelyMs : askEveryMs),
  })
  useLive('notification', (unread) => client.setQueryData(keyOf(notifications.getUnreadCount), unread))
  useLiveQueries(keyOf(notifications.getUnreadCount))
  useLiveQueries([...serviceKeyOf(notifications.getList), 'getList'], 'notification')
  const count = data?.count ?? 0
  return (
    <ActionIcon
      component={Link}
      to={'/notifications' as never}
      variant="subtle"
      color="gray"
      size="lg"
      pos="relative"
      aria-label={count ? t('Inbox:Unread', { count: formatNumber(count) }) : t('Inbox:Notifications')}
    >
      <Icon name="bell" />
      {count > 0 && (
        <span className="keel-count" aria-hidden="true">
          {count > 99 ? '99+' : count}
        </span>
      )}
    </ActionIcon>
  )
}
