import { timeText } from '../../../status/time-text.ts'
import type { ChannelMessage } from './message.ts'

/**
 * An instant as messages are composed: `2026-11-20T12:00:00Z`. One in quotes is what a target answered, and stays as
 * it is.
 */
const instant = /(?<!["'“‘`\w])\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z(?!["'”’`\w])/g
const onlyInstant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/

/**
 * A message for a reader in a zone: the instants of its texts are times of that zone. `at` stays, and a fact that is
 * an instant keeps it as `at`, for programs.
 */
export const inZone = (message: ChannelMessage, zone: string): ChannelMessage => {
  const nowMs = Date.parse(message.at)
  const shown = (text: string): string =>
    text.replace(instant, (found) => {
      const ms = Date.parse(found)
      return Number.isNaN(ms) ? found : timeText(ms, zone, nowMs)
    })
  return {
    ...message,
    title: shown(message.title),
    text: shown(message.text),
    facts: message.facts.map(({ name, value }) => ({
      name,
      value: shown(value),
      ...(onlyInstant.test(value) && !Number.isNaN(Date.parse(value))
        ? { at: new Date(value).toISOString() }
        : {}),
    })),
  }
}
