import { anAssignment } from '@probe-mesh/bus/src/contract-suite/fixtures'
import type { RunReply } from '@probe-mesh/bus/port'
import type { RunRequest } from '@probe-mesh/contracts/mesh/assignment'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { privateRegion } from '@probe-mesh/contracts/reading/private-region'
import { relayRequestBounds } from '@probe-mesh/contracts/agent/relay'
import { relayPools } from '@probe-mesh/contracts/agent/relay-pools'
import type { Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { openAgentRuns } from '@probe-mesh/control-plane/src/mesh/relay/relay-runs'
import { createRunIds } from '@probe-mesh/control-plane/src/mesh/relay/run-ids'
import { createTokenRates, type TokenRates } from '@probe-mesh/control-plane/src/mesh/relay/token-rates'
import { expect } from 'vitest'
import { numbers, type FairnessCase } from './case.ts'
import { turnsCase, type Opened } from './turns.ts'

const nowMs = 1_700_000_000_000
const closed = { close: async () => undefined }

/** Runs of private agents, one agent per account. Postgres stores them and returns no result. */
const openRuns = async (): Promise<Opened> => {
  const served = new Map<string, (request: RunRequest) => Promise<RunReply>>()
  const runs = await openAgentRuns({
    sql: (async () => []) as unknown as Sql,
    bus: {
      runs: {
        request: () => Promise.reject(new Error('this method is not used here')),
        serve: async (region, onRun) => {
          served.set(region, onRun)
          return closed
        },
      },
      events: {
        publish: () => undefined,
        deliver: async () => undefined,
        subscribe: async () => closed,
      },
    },
    runIds: createRunIds('the key of the tests'),
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
      void hold?.().then(() => runs.answer(id, run.id, reply))
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

const kinds = ['readings', 'runs', 'presence'] as const
/** Sends requests one after another. @returns the number of admitted ones */
const enterAll = (rates: TokenRates, token: string, kind: (typeof kinds)[number]): number => {
  for (let count = 0; ; count++) {
    const entered = rates.enter(token, kind)
    if ('refused' in entered) return count
    entered.leave()
  }
}

const { bounds } = relayPools.agentRuns

export const privateAgentCases = {
  relayRequests: {
    floor: (crowd) => {
      const rates = createTokenRates(() => nowMs)
      for (const n of numbers(crowd)) {
        for (const kind of kinds) enterAll(rates, `crowd ${n}`, kind)
      }
      for (const kind of kinds) {
        expect(enterAll(rates, 'newcomer', kind)).toBe(relayRequestBounds.rates[kind].burst)
      }
    },
    share: () => {
      let ms = nowMs
      const rates = createTokenRates(() => ms)
      for (const kind of kinds) {
        const { burst, perSecond } = relayRequestBounds.rates[kind]
        expect(enterAll(rates, 'alone', kind)).toBe(burst)
        ms += 1_000
        expect(enterAll(rates, 'alone', kind)).toBe(perSecond)
      }
      ms += 60_000
      // of any kind
      const entered = numbers(relayRequestBounds.inFlight).map((n) =>
        rates.enter('alone', kinds[n % kinds.length] ?? 'runs'),
      )
      expect(rates.enter('alone', 'presence')).toMatchObject({ refused: 'in_flight' })
      const [first] = entered
      if (first !== undefined && 'leave' in first) first.leave()
      expect(rates.enter('alone', 'presence')).toHaveProperty('leave')
    },
  },
  agentRuns: turnsCase({
    pool: relayPools.agentRuns,
    open: openRuns,
    // accounts at their share, and one run of each account in the reserve
    crowds: [
      2,
      50,
      (bounds.places - bounds.reserve.places) / bounds.placesOfOwner + bounds.reserve.places - 1,
    ],
    within: () => 0,
    refused: 'busy',
    alone: { inProgress: bounds.placesOfOwner, waiting: 0 },
  }),
} satisfies Partial<Record<keyof typeof relayPools, FairnessCase>>
