import { lazy, Suspense } from 'react'
import { useApplication } from '../application.js'

const SavedViewsMenu = lazy(async () => ({
  default: (await import('./saved-views-menu.js')).SavedViewsMenu,
}))

/** The views of a list that the person saved, or that others share with them; nothing without the permission. */
export function SavedViews(list: {
  readonly list: string
  readonly filters: readonly string[]
  readonly columns: readonly string[] | undefined
}) {
  const { may } = useApplication()
  if (!may('SavedView.View')) return null
  return (
    <Suspense>
      <SavedViewsMenu {...list} />
    </Suspense>
  )
}
