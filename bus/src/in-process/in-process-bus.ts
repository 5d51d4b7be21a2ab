import { join } from 'node:path'
import type { PresencePace } from '@probe-mesh/contracts/mesh/subjects'
import { silentLogger, type Logger } from '../logger.ts'
import type { Bus } from '../port.ts'
import { createAssignments } from './assignments.ts'
import { createEvents } from './events.ts'
import { openErrors, openReadings } from './partitioned-stream.ts'
import { createPersisted } from './persisted.ts'
import { createPresence } from './presence.ts'
import { createRuns } from './runs.ts'

/**
 * The bus of the all-in-one mode, with every part in one process. The streams of readings and error events
 * and the positions of their consumers are files below `directory`, which one process at a time may open.
 * Everything else is in memory, and its owner writes it again after a restart. Handlers are called
 * asynchronously.
 */
export const openInProcessBus = async (options: {
  directory: string
  /** Unix ms; default: the machine's clock */
  now?: () => number
  presencePace?: PresencePace | undefined
  log?: Logger
}): Promise<Bus> => {
  const now = options.now ?? Date.now
  const log = options.log ?? silentLogger
  const assignments = createAssignments(log)
  const readings = openReadings(join(options.directory, 'readings'), now)
  const errors = openErrors(join(options.directory, 'errors'), now)
  const persisted = createPersisted(log)
  const runs = createRuns(log)
  const presence = createPresence(now, options.presencePace)
  const events = createEvents(log)

  return {
    assignments,
    readings,
    errors,
    persisted,
    runs,
    presence,
    events,
    // one process has one clock
    clock: { tell: async () => undefined, read: async () => null },
    // The bus of the own process is always available.
    onReturn: () => ({ close: async () => undefined }),
    close: async () => {
      for (const part of [assignments, persisted, runs, presence, events]) part.close()
      await readings.close()
      await errors.close()
    },
  }
}
