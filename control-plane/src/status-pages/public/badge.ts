import type { HeadlineLevel } from '@probe-mesh/contracts/status-page/headline'
import type { ComponentState } from '@probe-mesh/contracts/status-page/status-page'
import type { PublicWords } from '@probe-mesh/contracts/status-page/words/public-words'
import { wordsOf } from '@probe-mesh/contracts/status-page/words/words-of'
import { displayName, type PublicPage } from './public-page.ts'

/** The text of a badge, in the language of the page, and a colour that repeats it. */
export type Badge = { label: string; message: string; color: string }

/** Missing data is grey, never green. */
const colors = {
  operational: 'brightgreen',
  degraded: 'yellow',
  down: 'red',
  maintenance: 'blue',
  no_data: 'lightgrey',
} as const satisfies Record<ComponentState, string>

const levels = {
  operational: 'brightgreen',
  notice: 'brightgreen',
  no_data: 'lightgrey',
  maintenance: 'blue',
  degraded: 'yellow',
  partial_outage: 'orange',
  major_outage: 'red',
} as const satisfies Record<HeadlineLevel, string>

const labelCharactersMax = 60

/** The badge of a page, by its headline, or of one component. @returns null: unknown component */
export const badgeOf = (page: PublicPage, componentId: string | null): Badge | null => {
  const words = wordsOf(page.page.locale)
  if (componentId === null) return pageBadge(page, words)
  const component = page.components.find(({ id }) => id === componentId)
  if (component === undefined) return null
  const { displayName, state } = component
  return badge(displayName, words.badge.state(words.states[state]), colors[state])
}

const pageBadge = ({ page, headline, components }: PublicPage, words: PublicWords): Badge => {
  const { level, unmeasured } = headline
  const state = (of: HeadlineLevel): string => words.badge.state(levelText(of, words))
  const isPartly = level === 'no_data' && unmeasured < components.length
  const message = isPartly ? words.badge.unmeasured(state('operational'), unmeasured) : state(level)
  return badge(displayName(page), message, levels[level])
}

const levelText = (level: HeadlineLevel, { states, headline }: PublicWords): string => {
  switch (level) {
    case 'operational':
    case 'notice':
      return states.operational
    case 'partial_outage':
    case 'major_outage':
      return headline.levels[level]
    default:
      return states[level]
  }
}

const badge = (name: string, message: string, color: string): Badge => ({
  label: shorten(name),
  message,
  color,
})

const shorten = (name: string): string => {
  const characters = [...name.trim().toWellFormed()]
  if (characters.length <= labelCharactersMax) return characters.join('')
  return `${characters.slice(0, labelCharactersMax - 1).join('')}…`
}

/** As an image, with its text as the title for screen readers. Loads the widths of letters with the first one. */
export const badgeSvg = async (badge: Badge): Promise<string> =>
  (await import('badge-maker')).makeBadge(badge)

/** As JSON for shields.io (endpoint badge, schema version 1). */
export const badgeJson = ({ label, message, color }: Badge) => ({
  schemaVersion: 1,
  label,
  message,
  color,
})
