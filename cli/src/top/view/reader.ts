import { arrange, statusesByRank } from '../model/arrange.ts'
import type { TopState } from '../model/state.ts'
import { showTime } from './amounts.ts'
import { cut } from './line.ts'

/** Checks that are not operational and read out one by one; of more only the number is said. */
const readOutMax = 50

/**
 * The account as plain sentences, for a screen reader: no ages, no latencies, nothing that changes
 * before a status does.
 */
export const readerLines = (state: TopState, nowMs: number): string[] => {
  if (state.listedMs === null) return ['Reading the checks.']
  const { rows, counts } = arrange(state, nowMs)
  const present = statusesByRank.filter((status) => counts[status] > 0)
  const failing = rows.filter(({ status }) => status !== 'operational' && status !== 'paused')
  const more = failing.length - readOutMax
  const { connection, vantage } = state
  return [
    `${state.checks.size} checks: ${present.map((status) => `${counts[status]} ${status}`).join(', ') || 'none'}.`,
    connection.state === 'connected'
      ? 'Live.'
      : `Not live since ${showTime(connection.sinceMs)} UTC: what is said may be old.`,
    ...(vantage === 'local' ? ['All regions are measured from one machine.'] : []),
    ...failing.slice(0, readOutMax).map(({ row, status }) => {
      const since =
        status === row.status && row.statusSinceMs !== null
          ? ` since ${showTime(row.statusSinceMs)} UTC`
          : ''
      const reason = status === row.status ? (row.statusReason ?? '') : ''
      return `${cut(row.name, 80, '...')}: ${status}${since}${reason === '' ? '' : `, ${cut(reason, 200, '...')}`}.`
    }),
    ...(more > 0 ? [`And ${more} more.`] : []),
    'Press q to quit.',
  ]
}
