import type { ChannelMessage } from './message.ts'

export type Severity = 'critical' | 'warning' | 'info' | 'ok'

/**
 * How urgent a message is, for receivers with priorities. A check that is down, now or in a digest, is critical;
 * other alerts are warnings. Pure.
 */
export const severityOf = ({ event, facts }: Pick<ChannelMessage, 'event' | 'facts'>): Severity => {
  if (event === 'recovery') return 'ok'
  if (event === 'test' || event === 'acknowledged' || event === 'resolved') return 'info'
  const isDown = facts.some(
    ({ name, value }) => (name === 'Status' && value === 'down') || name === 'Down now',
  )
  return isDown ? 'critical' : 'warning'
}

/** The colour of a message, as `#rrggbb`. */
export const colorOf: Readonly<Record<Severity, string>> = {
  critical: '#d93025',
  warning: '#e37400',
  info: '#1a73e8',
  ok: '#188038',
}
