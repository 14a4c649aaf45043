import { keyOf } from '@keel/react'
import { ActionIcon } from '@mantine/core'
import { useQuery as useTanstackQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useApplication } from '../application.js'
import { Icon } from './icons.js'
import { notifications } from './notifications.js'

/** The way to the inbox, with the number of unread notifications; it is asked for again every half minute. */
export function Bell() {
  const { t, formatNumber } = useApplication()
  const { data } = useTanstackQuery({
    queryKey: keyOf(notifications.getUnreadCount),
    queryFn: () => notifications.getUnreadCount(),
    refetchInterval: 30_000,
  })
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
