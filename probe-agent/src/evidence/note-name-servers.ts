import type { Run } from '../schedule/run.ts'
import type { NameServers } from './name-servers.ts'

/**
 * Adds to the readings of catalog services which name servers they depend on, as known when the run
 * ends: also where nothing answered. Whatever else is run passes through untouched.
 */
export const noteNameServers =
  (run: Run, nameServers: Pick<NameServers, 'of'>): Run =>
  (assignment, context) => {
    if (assignment.owner !== 'catalog' || assignment.type !== 'http')
      return run(assignment, context)
    const host = URL.parse(assignment.url)?.hostname ?? ''
    return run(assignment, context).then((reading) => {
      if (reading.details?.type !== 'http') return reading
      const details = { ...reading.details, nameServers: [...nameServers.of(host)] }
      return { ...reading, details }
    })
  }
