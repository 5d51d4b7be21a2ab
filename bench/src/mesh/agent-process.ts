// An agent in a process of its own, without the probing: a run returns its reading at once.
import { silentLogger } from '@probe-mesh/bus/logger'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { startAgent, type Agent } from '@probe-mesh/probe-agent/agent'
import type { Run } from '@probe-mesh/probe-agent/schedule/run'
import { Registry } from 'prom-client'
import { answerParent } from '../harness/child.ts'
import { instantReading } from '../harness/instant-reading.ts'
import { openAgentBus } from './agent-bus.ts'

export type AgentQuestion =
  | {
      kind: 'start'
      region: Region
      agent: string
      folder: string
      natsUrl: string
      credentialsFile: string
    }
  | { kind: 'assignments' }
  /** From now on the targets of these checks are down. */
  | { kind: 'down'; checkIds: readonly string[] }
  /** When each of them was first measured as down, Unix ms. */
  | { kind: 'seenDown' }
  /** How many scheduled readings were measured in [from, to), Unix ms. */
  | { kind: 'made'; fromMs: number; toMs: number }
  | { kind: 'stop' }

const spoolBytesMax = 256 * 1024 * 1024

let agent: Agent | null = null
let down: ReadonlySet<string> = new Set()
const seenDown = new Map<string, number>()
/** When each scheduled reading was measured, Unix ms. */
const made: number[] = []

const run: Run = (assignment, context) => {
  const { checkId } = assignment
  const isDown = down.has(checkId)
  const measuredAt = Date.now()
  if (isDown && !seenDown.has(checkId)) seenDown.set(checkId, measuredAt)
  if (context.kind === 'scheduled') made.push(measuredAt)
  const verdict = isDown ? 'down' : 'up'
  return Promise.resolve(instantReading(assignment, context, verdict, measuredAt))
}

answerParent<AgentQuestion>(async (question) => {
  switch (question.kind) {
    case 'start': {
      const { region, agent: name, folder } = question
      agent = await startAgent({
        config: {
          region,
          agent: name,
          dataDirectory: folder,
          spoolBytesMax,
          targetAllow: [],
          journalPath: null,
        },
        bus: await openAgentBus(question),
        run,
        now: Date.now,
        log: silentLogger,
        registry: new Registry(),
      })
      return null
    }
    case 'assignments':
      return agent?.assignments ?? 0
    case 'down':
      down = new Set(question.checkIds)
      return null
    case 'seenDown':
      return Object.fromEntries(seenDown)
    case 'made': {
      const { fromMs, toMs } = question
      return made.filter((at) => at >= fromMs && at < toMs).length
    }
    case 'stop':
      await agent?.close()
      return null
    default:
      return question satisfies never
  }
})
