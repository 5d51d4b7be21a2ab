import type { ChannelMessage } from './message.ts'

export type Severity = 'critical' | 'warning' | 'info' | 'ok'

/**
 * How urgent a message is, for receivers with priorities. A check that is down, now or in a digest, and an error budget
 * that burns fast, are critical; other alerts are warnings.
 */
export const severityOf = ({ event, facts }: Pick<ChannelMessage, 'event' | 'facts'>): Severity => {
  if (event === 'recovery') return 'ok'
  if (event === 'test' || event === 'acknowledged' || event === 'resolved') return 'info'
  const isDown = facts.some(
    ({ name, value }) =>
      (name === 'Status' && value === 'down') ||
      name === 'Down now' ||
      (name === 'Severity' && value === 'page'),
  )
  return isDown ? 'critical' : 'warning'
}

/** An alert that waits for the next working day. */
export const isTicket = ({ facts }: Pick<ChannelMessage, 'facts'>): boolean =>
  facts.some(({ name, value }) => name === 'Severity' && value === 'ticket')

/** The colour of a message, as `#rrggbb`. */
export const colorOf: Readonly<Record<Severity, string>> = {
  critical: '#d93025',
  warning: '#e37400',
  info: '#1a73e8',
  ok: '#188038',
}
