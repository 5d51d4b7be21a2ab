import type { ChannelMessage } from '../deliveries/message.ts'
import type { AlertMessage } from './alert-message.ts'

/** Checks that a digest names, and causes that it tells apart; of the rest it says how many. */
const namesMax = 20
const groupsMax = 10

/**
 * One message for many: how many it holds, by cause and region, the first of them by name.
 * @param options.isOver nothing that was told is open any more: receivers may close what they opened
 */
export const composeDigest = (
  messages: readonly AlertMessage[],
  options: { alertKey: string; publicUrl: string; isOver: boolean },
): ChannelMessage => {
  const counts = [
    ['Alerts', messages.filter(({ event }) => event === 'alert').length],
    ['Reminders', messages.filter(({ event }) => event === 'reminder').length],
    ['Recoveries', messages.filter(({ event }) => event === 'recovery').length],
  ] as const
  return {
    event: options.isOver ? 'recovery' : 'digest',
    title: titleOf(messages, options.isOver),
    text: textOf(messages),
    facts: counts
      .filter(([, count]) => count > 0)
      .map(([name, count]) => ({ name, value: String(count) })),
    url: `${options.publicUrl}/checks`,
    at: messages.map(({ content }) => content.at).reduce((a, b) => (a > b ? a : b), ''),
    alertKey: options.alertKey,
  }
}

const titleOf = (messages: readonly AlertMessage[], isOver: boolean): string => {
  const alerts = messages.filter(({ event }) => event === 'alert')
  const word = alerts.every(({ status }) => status === 'down') ? 'down' : 'not well'
  const parts = [
    said(alerts.length, `is ${word}`, `are ${word}`),
    said(countOf(messages, 'reminder'), 'is still not well', 'are still not well'),
    said(countOf(messages, 'recovery'), 'has recovered', 'have recovered'),
  ].filter((part) => part !== '')
  return `${parts.join(', ')}${isOver ? '; none is left' : ''}`
}

const countOf = (messages: readonly AlertMessage[], event: AlertMessage['event']): number =>
  messages.filter((message) => message.event === event).length

const said = (count: number, one: string, many: string): string => {
  if (count === 0) return ''
  return count === 1 ? `1 check ${one}` : `${count} checks ${many}`
}

const textOf = (messages: readonly AlertMessage[]): string => {
  const groups = [...Map.groupBy(messages, groupOf).values()].toSorted(
    (a, b) => b.length - a.length,
  )
  let named = 0
  const lines = groups.slice(0, groupsMax).map((group) => {
    const names = group.slice(0, namesMax - named).map(({ checkName }) => checkName)
    named += names.length
    const more = group.length - names.length
    const list = [...names, ...(more > 0 ? [`${more} more`] : [])].join(', ')
    return `${headOf(group)}: ${list}`
  })
  const rest = groups.slice(groupsMax)
  const left = rest.flat().length
  return [
    `This message holds ${messages.length}, which came at once.`,
    ...lines,
    ...(left > 0 ? [`${rest.length} more causes: ${left} checks`] : []),
  ].join('\n')
}

const groupOf = ({ event, status, cause, regions }: AlertMessage): string =>
  JSON.stringify([event === 'recovery' ? event : status, cause, regions])

const headOf = (group: readonly AlertMessage[]): string => {
  const [first] = group
  if (first === undefined) return ''
  if (first.event === 'recovery') return `${group.length} recovered`
  const where = first.regions.length === 0 ? '' : `, seen from ${first.regions.join(', ')}`
  return `${group.length} ${first.status} (${first.cause}${where})`
}
