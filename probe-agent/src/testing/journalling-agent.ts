import { join } from 'node:path'
import { aReading, anAssignment } from '@probe-mesh/bus/src/contract-suite/fixtures'
import { openInProcessBus } from '@probe-mesh/bus/in-process/in-process-bus'
import { silentLogger } from '@probe-mesh/bus/logger'
import { Registry } from 'prom-client'
import { startAgent } from '../agent.ts'

/**
 * A program for tests to kill: an agent on its own bus in the given directory, with checks at 1 s that take
 * some milliseconds and are up. Prints `running` once it has journalled some readings.
 */
const [directory = ''] = process.argv.slice(2)
const checks = 300
const journalledMin = 20

const bus = await openInProcessBus({ directory: join(directory, 'bus') })
let ended = 0
await startAgent({
  config: {
    region: 'fra',
    agent: 'fra-1',
    dataDirectory: directory,
    spoolBytesMax: 64 * 1024 * 1024,
    targetAllow: [],
    journalPath: join(directory, 'journal'),
  },
  bus,
  run: async ({ checkId }, { slot, kind, number, lateMs }) => {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 20))
    // readings of an earlier turn are journalled
    if (ended++ === journalledMin) setImmediate(() => process.stdout.write('running\n'))
    return aReading({ checkId, slot, kind, number, lateMs })
  },
  now: Date.now,
  log: silentLogger,
  registry: new Registry(),
})
for (let n = 0; n < checks; n++) await bus.assignments.put(anAssignment({ intervalSeconds: 1 }))
