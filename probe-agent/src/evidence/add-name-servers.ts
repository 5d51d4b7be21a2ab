import type { Run } from '../schedule/run.ts'
import type { NameServers } from './name-servers.ts'

/**
 * Adds the known name servers to the readings of catalog services when the run ends, also after a
 * failed attempt. All other readings stay unchanged.
 */
export const addNameServers =
  (run: Run, nameServers: Pick<NameServers, 'of'>): Run =>
  (assignment, context) => {
    if (assignment.owner !== 'catalog' || assignment.type !== 'http') return run(assignment, context)
    const host = URL.parse(assignment.url)?.hostname ?? ''
    return run(assignment, context).then((reading) => {
      if (reading.details?.type !== 'http') return reading
      const details = { ...reading.details, nameServers: [...nameServers.of(host)] }
      return { ...reading, details }
    })
  }
