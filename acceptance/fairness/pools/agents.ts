import { aCheckRecord } from '@probe-mesh/control-plane/src/checks/testing'
import { AsyncLocalStorage } from 'node:async_hooks'
import { aReading, anAssignment } from '@probe-mesh/bus/src/contract-suite/fixtures'
import { agentPools } from '@probe-mesh/contracts/agent/agent-pools'
import { createManualRuns } from '@probe-mesh/control-plane/src/checks/manual-runs'
import { sealsNothing } from '@probe-mesh/control-plane/src/secrets/testing'
import { createConfirmer } from '@probe-mesh/control-plane/src/mesh/assess/confirmer'
import { createPages } from '@probe-mesh/check-types/browser/probe/pages'
import { createHandshakes } from '@probe-mesh/probe-agent/run/handshakes'
import { createDispatcher } from '@probe-mesh/probe-agent/src/schedule/dispatcher'
import { Counter, Registry } from 'prom-client'
import { expect } from 'vitest'
import { numbers, type FairnessCase } from './case.ts'
import { settleLoop, turnsCase, type Opened } from './turns.ts'

const slot = 1_700_000_000_000
const open = new AbortController().signal

/** Holds a place until the work ends, or returns the reason without a place. */
const holding = async (
  taking: Promise<{ release(): void } | string>,
  hold: () => Promise<void>,
): Promise<unknown> => {
  const place = await taking
  if (typeof place === 'string') return place
  await hold()
  place.release()
  return 'done'
}

/** Submits scheduled runs and requests other runs. */
const openDispatcher =
  (kind: 'scheduled' | 'manual' | 'confirmation', freeTrial = false) =>
  (): Opened => {
    const works = new Map<string, { hold(): Promise<void>; settle(cause: string): void }>()
    const dispatcher = createDispatcher({
      run: async ({ checkId }) => {
        await works.get(checkId)?.hold()
        return aReading({ checkId, kind, slot })
      },
      now: () => slot,
      onReading: ({ checkId, cause }) => works.get(checkId)?.settle(cause),
      onStart: () => undefined,
      onBug: (error) => {
        throw error
      },
    })
    return {
      perform: (accountId, hold) => {
        const assignment = anAssignment({ accountId })
        const ended = Promise.withResolvers<string>()
        works.set(assignment.checkId, { hold, settle: ended.resolve })
        if (kind !== 'scheduled') return dispatcher.runNow(assignment, { slot, kind, number: 1, freeTrial })
        dispatcher.submit(assignment, slot)
        return ended.promise
      },
    }
  }

const openConfirmer = (): Opened => {
  const works = new Map<string, { hold(): Promise<void>; settle(outcome: string): void }>()
  const confirmations = new Counter({
    name: 'confirmations',
    help: 'by outcome',
    labelNames: ['outcome'] as const,
    registers: [new Registry()],
  })
  // only the metric shows dropped ones
  const asking = new AsyncLocalStorage<string>()
  confirmations.inc = ((labels: { outcome: string }) => {
    if (labels.outcome === 'dropped') works.get(asking.getStore() ?? '')?.settle('dropped')
  }) as typeof confirmations.inc
  const confirmer = createConfirmer({
    bus: {
      runs: {
        serve: () => Promise.reject(new Error('not served here')),
        request: async (_region, { assignment: { checkId } }) => {
          const work = works.get(checkId)
          await work?.hold()
          work?.settle('done')
          return { agent: 'a', reading: aReading({ checkId }) }
        },
      },
    },
    assignmentFor: async (checkId, region) => anAssignment({ checkId, region }),
    metrics: { confirmations },
    log: { warn: () => undefined },
  })
  return {
    perform: (accountId, hold) => {
      const { checkId } = anAssignment()
      const ended = Promise.withResolvers<string>()
      works.set(checkId, { hold, settle: ended.resolve })
      asking.run(checkId, () => confirmer.confirm({ checkId, accountId, regions: ['fra'], atMs: 0 }))
      return ended.promise
    },
  }
}

/** First readings of checks, one region each. */
const openManualRuns = () => {
  const works = new Map<string, { hold(): Promise<void>; settle(outcome: string): void }>()
  const asking = new AsyncLocalStorage<string>()
  const runs = createManualRuns({
    sealer: sealsNothing,
    runs: {
      request: async (_region, { assignment: { checkId } }) => {
        const work = works.get(checkId)
        await work?.hold()
        work?.settle('done')
        return 'no_agent'
      },
    },
    now: () => slot,
    log: { warn: () => undefined },
    onDropped: () => works.get(asking.getStore() ?? '')?.settle('dropped'),
  })
  const perform = (accountId: string, hold: () => Promise<void>): Promise<string> => {
    const { checkId: id } = anAssignment()
    const ended = Promise.withResolvers<string>()
    works.set(id, { hold, settle: ended.resolve })
    asking.run(id, () => runs.start({ ...aCheckRecord, id, accountId, regions: ['fra'] }))
    return ended.promise
  }
  return { runs, perform }
}

const trialsCase = (
  name: 'trials' | 'freeTrials' | 'freeBrowserTrials',
  tier: 'growth' | 'free',
): FairnessCase => {
  const { places, placesOfOwner } = agentPools[name].bounds
  const type = name === 'freeBrowserTrials' ? 'browser' : 'http'
  const take = (at: ReturnType<typeof openManualRuns>, id: string, of: 'growth' | 'free' = tier) =>
    at.runs.reserveTrial({ id, tier: of }, { type, private: false })
  const most = places / placesOfOwner - 1
  return {
    // a larger crowd fills the pool itself; the row names the number of accounts
    crowds: most > 2 ? [2, most] : [most],
    floor: (crowd) => {
      const at = openManualRuns()
      for (const n of numbers(1_000)) take(at, `other ${n}`, tier === 'free' ? 'growth' : 'free')
      for (const n of numbers(crowd)) for (const _ of numbers(30)) take(at, `crowd ${n}`)
      expect(take(at, 'newcomer')).toHaveProperty('release')
    },
    share: () => {
      const at = openManualRuns()
      for (const _ of numbers(placesOfOwner)) expect(take(at, 'alone')).toHaveProperty('release')
      expect(take(at, 'alone')).toBeTypeOf('string')
    },
  }
}

const pagesCase = (
  name: 'pages' | 'pagesAsked' | 'pagesTried',
  run: { isOnDemand: boolean; isFreeTrial: boolean },
): FairnessCase =>
  turnsCase({
    pool: agentPools[name],
    open: () => {
      const pages = createPages()
      return {
        perform: (accountId, hold) => holding(pages.acquire({ accountId, ...run }, open), hold),
      }
    },
    crowds: [2, 50, agentPools[name].bounds.waiting - 1],
    refused: 'overloaded',
  })

export const agentCases = {
  runs: turnsCase({
    pool: agentPools.runs,
    open: openDispatcher('scheduled'),
    refused: 'probe_overloaded',
  }),
  runsAsked: turnsCase({
    pool: agentPools.runsAsked,
    open: openDispatcher('manual'),
    refused: 'busy',
  }),
  runsTried: turnsCase({
    pool: agentPools.runsTried,
    open: openDispatcher('manual', true),
    crowds: [2, agentPools.runsTried.bounds.places / agentPools.runsTried.bounds.placesOfOwner - 1],
    within: () => 0,
    refused: 'busy',
  }),
  confirmations: turnsCase({
    pool: agentPools.confirmations,
    open: openDispatcher('confirmation'),
    refused: 'busy',
  }),
  handshakes: turnsCase({
    pool: agentPools.handshakes,
    open: () => {
      const handshakes = createHandshakes()
      return {
        perform: (account, hold) => holding(handshakes.begin(account, open, 1), hold),
        // a few start in each turn of the event loop
        settle: async () => {
          let before = -1
          while (before !== handshakes.inProgress) {
            before = handshakes.inProgress
            await settleLoop()
          }
        },
      }
    },
    refused: 'overloaded',
  }),
  pages: pagesCase('pages', { isOnDemand: false, isFreeTrial: false }),
  pagesAsked: pagesCase('pagesAsked', { isOnDemand: true, isFreeTrial: false }),
  pagesTried: pagesCase('pagesTried', { isOnDemand: true, isFreeTrial: true }),
  confirmationsSent: turnsCase({
    pool: agentPools.confirmationsSent,
    open: openConfirmer,
    refused: 'dropped',
  }),
  firstReadings: turnsCase({
    pool: agentPools.firstReadings,
    open: openManualRuns,
    refused: 'dropped',
  }),
  trials: trialsCase('trials', 'growth'),
  freeTrials: trialsCase('freeTrials', 'free'),
  freeBrowserTrials: trialsCase('freeBrowserTrials', 'free'),
} satisfies Partial<Record<keyof typeof agentPools, FairnessCase>>
