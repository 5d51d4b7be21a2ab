import type { ComponentState } from '@probe-mesh/contracts/status-page/status-page'
import { makeBadge } from 'badge-maker'
import { displayName } from './public-page.ts'
import type { PublicPage } from './public-page.ts'

/** The text of a badge, and a colour that repeats it. */
export type Badge = { label: string; message: string; color: string }

/** Missing data is grey, never green. */
const messages = {
  operational: { message: 'operational', color: 'brightgreen' },
  degraded: { message: 'degraded', color: 'yellow' },
  down: { message: 'down', color: 'red' },
  maintenance: { message: 'maintenance', color: 'blue' },
  no_data: { message: 'no data', color: 'lightgrey' },
} as const satisfies Record<ComponentState, Omit<Badge, 'label'>>

const labelCharactersMax = 60

/** The badge of a page, or of one component. @returns null: unknown component */
export const badgeOf = (page: PublicPage, componentId: string | null): Badge | null => {
  if (componentId === null) return badge(displayName(page.page), page.page.state)
  const component = page.components.find(({ id }) => id === componentId)
  return component === undefined ? null : badge(component.displayName, component.state)
}

const badge = (name: string, state: ComponentState): Badge => ({
  label: shorten(name),
  ...messages[state],
})

const shorten = (name: string): string => {
  const characters = [...name.trim().toWellFormed()]
  if (characters.length <= labelCharactersMax) return characters.join('')
  return `${characters.slice(0, labelCharactersMax - 1).join('')}…`
}

/** As an image, with its text as the title for screen readers. */
export const badgeSvg = (badge: Badge): string => makeBadge(badge)

/** As JSON for shields.io (endpoint badge, schema version 1). */
export const badgeJson = ({ label, message, color }: Badge) => ({
  schemaVersion: 1,
  label,
  message,
  color,
})
