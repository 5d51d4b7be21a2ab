import { anAssignment } from '@probe-mesh/bus/contract-suite/fixtures'
import type { RunReply } from '@probe-mesh/bus/port'
import type { RunRequest } from '@probe-mesh/contracts/assignment'
import { uuidv7 } from '@probe-mesh/contracts/ids'
import { privateRegion } from '@probe-mesh/contracts/regions'
import { relayPools } from '@probe-mesh/contracts/relay-pools'
import type { Sql } from '@probe-mesh/control-plane/postgres/connect'
import { openAgentRuns } from '@probe-mesh/control-plane/relay/relay-runs'
import type { FairnessCase } from './case.ts'
import { turnsCase } from './turns.ts'
import type { Opened } from './turns.ts'

const nowMs = 1_700_000_000_000
const closed = { close: async () => undefined }

/** Runs of private agents, one agent of each account; Postgres is told of them and answers nothing. */
const openRuns = async (): Promise<Opened> => {
  const served = new Map<string, (request: RunRequest) => Promise<RunReply>>()
  let heard: ((payload: unknown) => void) | null = null
  const runs = await openAgentRuns({
    sql: (async () => []) as unknown as Sql,
    bus: {
      runs: {
        request: () => Promise.reject(new Error('nobody asks here')),
        serve: async (region, onRun) => {
          served.set(region, onRun)
          return closed
        },
      },
      events: {
        publish: (_kind, payload) => void heard?.(payload),
        subscribe: async (_kind, onEvent) => {
          heard = onEvent
          return closed
        },
      },
    },
    now: () => nowMs,
  })
  const agents = new Map<string, string>()
  const works: (() => Promise<void>)[] = []
  const agentOf = (accountId: string): string => {
    const known = agents.get(accountId)
    if (known !== undefined) return known
    const id = uuidv7(nowMs)
    agents.set(accountId, id)
    const send = (run: { id: string }): void => {
      const hold = works.shift()
      const reply = { agent: privateRegion(id), error: 'done' }
      void hold?.().then(() => runs.answer(privateRegion(id), run.id, reply))
    }
    void runs.serve({ id, accountId }, send)
    return id
  }
  return {
    perform: async (accountId, hold) => {
      const region = privateRegion(agentOf(accountId))
      const assignment = anAssignment({ region })
      works.push(hold)
      const answered = await served.get(region)?.({
        kind: 'manual',
        at: nowMs,
        number: 0,
        assignment,
      })
      const refused = works.indexOf(hold)
      if (refused >= 0) works.splice(refused, 1)
      return answered !== undefined && 'error' in answered ? answered.error : answered
    },
  }
}

const { bounds } = relayPools.agentRuns

export const privateAgentCases = {
  agentRuns: turnsCase({
    bounds,
    open: openRuns,
    // those at their share, and one run each of as many accounts as places are kept for
    crowds: [
      2,
      50,
      (bounds.places - bounds.reserve.places) / bounds.placesOfOwner + bounds.reserve.places - 1,
    ],
    within: () => 0,
    refused: 'busy',
    alone: { underWay: bounds.placesOfOwner, waiting: 0 },
  }),
} satisfies Partial<Record<keyof typeof relayPools, FairnessCase>>
