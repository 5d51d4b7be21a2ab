import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { aReading, anAssignment } from '@probe-mesh/bus/src/contract-suite/fixtures'
import { openInProcessBus } from '@probe-mesh/bus/in-process/in-process-bus'
import { silentLogger } from '@probe-mesh/bus/logger'
import type { Bus } from '@probe-mesh/bus/port'
import type { Assignment } from '@probe-mesh/contracts/mesh/assignment'
import { Registry } from 'prom-client'
import { startAgent, type Agent } from '../agent.ts'
import type { AgentOptions } from '../agent-options.ts'

/** The interval of a test's checks, ms. */
export const slotMs = 2_000

type Ran = { agent: string; checkId: string; slot: number; at: number }

/** A region for tests: its own bus, and agents that only record their runs. */
export type TestRegion = {
  readonly bus: Bus
  readonly agents: Agent[]
  readonly ran: Ran[]
  start(
    agent: string,
    over?: Partial<AgentOptions> & { folder?: string; isDead?: () => boolean },
  ): Promise<Agent>
  /** Adds checks with `slotMs`, which gives a busy machine a second to start a run. */
  assign(count: number): Promise<Assignment[]>
  /** The number of runs of each slot in [fromMs, toMs), by check, in order. */
  timesRun(assignments: Assignment[], fromMs: number, toMs: number): number[][]
  close(): Promise<void>
}

export const openTestRegion = async (): Promise<TestRegion> => {
  const directory = mkdtempSync(join(tmpdir(), 'probe-mesh-region-'))
  const bus = await openInProcessBus({ directory: join(directory, 'bus') })
  const agents: Agent[] = []
  const ran: Ran[] = []
  return {
    bus,
    agents,
    ran,
    start: async (agent, { folder = 'data', isDead = () => false, ...over } = {}) => {
      const started = await startAgent({
        config: {
          region: 'fra',
          agent,
          dataDirectory: join(directory, folder),
          spoolBytesMax: 2 ** 24,
          targetAllow: [],
          journalPath: null,
        },
        bus,
        run: async ({ checkId }, { slot, kind, number, lateMs }) => {
          if (!isDead()) ran.push({ agent, checkId, slot, at: Date.now() })
          return aReading({ checkId, slot, kind, number, lateMs })
        },
        now: Date.now,
        log: silentLogger,
        registry: new Registry(),
        ...over,
      })
      agents.push(started)
      return started
    },
    assign: async (count) => {
      const assignments = Array.from({ length: count }, () =>
        anAssignment({ intervalSeconds: slotMs / 1_000 }),
      )
      for (const assignment of assignments) await bus.assignments.put(assignment)
      return assignments
    },
    timesRun: (assignments, fromMs, toMs) =>
      assignments.map(({ checkId }) => {
        const slots = ran.filter((run) => run.checkId === checkId).map(({ slot }) => slot)
        const [known = 0] = slots
        const first = known - Math.floor((known - fromMs) / slotMs) * slotMs
        return Array.from(
          { length: Math.ceil((toMs - first) / slotMs) },
          (_, n) => slots.filter((slot) => slot === first + n * slotMs).length,
        )
      }),
    close: async () => {
      await Promise.all(agents.map((agent) => agent.close()))
      await bus.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
