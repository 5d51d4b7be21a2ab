import { askedRunMsMaxOf } from '@probe-mesh/contracts/mesh/assignment'
import type { StoredReading } from '@probe-mesh/contracts/check/check'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { agentPools } from '@probe-mesh/contracts/agent/agent-pools'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { Runs } from '@probe-mesh/bus/port'
import { createFairPool } from '@probe-mesh/runtime/fair-pool'
import type { FairPool, Place } from '@probe-mesh/runtime/fair-pool'
import type { Tier } from '@probe-mesh/contracts/account/tiers'
import type { Logger } from 'pino'
import { assignmentOf } from './assignment-of.ts'
import type { CheckRecord } from '../check-record/check-record.ts'
import { describeReading } from '../readings/stored-reading.ts'

export type RunAnswers = { readings: StoredReading[]; unanswered: Region[] }

/** Asks agents for manual readings. The readings also travel the stream, like any other. */
export type ManualRuns = {
  /**
   * One reading per region of the check, and the regions that did not answer in time.
   * @param options.freeTrial a trial of an account that pays nothing: agents let everything else go before it
   */
  ask(check: CheckRecord, options?: { freeTrial: boolean }): Promise<RunAnswers>
  /**
   * The same without waiting: the first readings of a new check. Each region is asked when it is the account's turn;
   * one whose turn does not come in time is not asked. Failures are only logged.
   */
  start(check: CheckRecord): void
  /**
   * A place for a trial of an account. Where there is none: whether the account has as many under way as it may, or
   * all places for browser checks of free accounts are taken.
   */
  takeTrial(
    account: { id: string; tier: Tier },
    check: Pick<CheckRecord, 'type' | 'private'>,
  ): Place | 'share' | 'browsers'
  close(): Promise<void>
}

export const createManualRuns = (capabilities: {
  runs: Pick<Runs, 'request'>
  now: () => number
  log: Pick<Logger, 'warn'>
  /** Told how many first readings are not asked for because too many are under way. */
  onDropped: (count: number) => void
  /** Told why a region gave no reading: `busy`, `no_agent`, `timeout`, `refused` or `failed`. */
  onUnanswered?: (why: UnansweredWhy) => void
}): ManualRuns & { readonly pools: ManualPools } => {
  const { runs, now, log, onDropped, onUnanswered } = capabilities
  const underWay = new Set<Promise<unknown>>()
  const closing = new AbortController()
  const pools: ManualPools = {
    firstReadings: createFairPool(agentPools.firstReadings.bounds),
    trials: createFairPool(agentPools.trials.bounds),
    freeTrials: createFairPool(agentPools.freeTrials.bounds),
    freeBrowserTrials: createFairPool(agentPools.freeBrowserTrials.bounds),
  }

  const askRegion = async (
    check: CheckRecord,
    region: Region,
    { at, number }: Identity,
    { freeTrial }: { freeTrial: boolean } = { freeTrial: false },
  ) => {
    const assignment = assignmentOf(check, region)
    if (assignment === null) return null
    const more = freeTrial ? { freeTrial } : {}
    const asked = { kind: 'manual', at, number, assignment, ...more } as const
    const reply = await runs
      .request(region, asked, askedRunMsMaxOf(assignment))
      .catch((error: unknown) => (error instanceof Error ? error : new Error('failed')))
    if (typeof reply === 'object' && 'reading' in reply) {
      return describeReading(reply.reading, reply.agent, null)
    }
    onUnanswered?.(whyOf(reply))
    log.warn(
      { checkId: check.id, region, reason: reasonOf(reply) },
      'a manual reading was not taken',
    )
    return null
  }

  /** Tells runs of one instant apart: every manual reading has an identity of its own. */
  const identityOf = (): Identity => ({
    at: now(),
    number: crypto.getRandomValues(new Uint32Array(1))[0] ?? 0,
  })
  const ask: ManualRuns['ask'] = async (check, options) => {
    const identity = identityOf()
    const answers = await Promise.all(
      check.regions.map(async (region) => ({
        region,
        reading: await askRegion(check, region, identity, options),
      })),
    )
    return {
      readings: answers.flatMap(({ reading }) => reading ?? []),
      unanswered: answers.flatMap(({ region, reading }) => (reading === null ? region : [])),
    }
  }
  const askInTurn = async (
    check: CheckRecord,
    region: Region,
    identity: Identity,
  ): Promise<void> => {
    const { firstReadings } = pools
    const wait = { signal: closing.signal, waitMsMax: limits.runTurnMsMax }
    const place =
      firstReadings.takeNow(check.accountId) ?? (await firstReadings.take(check.accountId, wait))
    if (typeof place === 'string') {
      if (place !== 'stopped') onDropped(1)
      return
    }
    try {
      await askRegion(check, region, identity)
    } finally {
      place.release()
    }
  }

  return {
    ask,
    start: (check) => {
      const identity = identityOf()
      for (const region of check.regions) {
        const asking = askInTurn(check, region, identity).finally(() => underWay.delete(asking))
        underWay.add(asking)
      }
    },
    takeTrial: (account, check) => takeTrial(pools, account, check),
    close: async () => {
      closing.abort()
      await Promise.allSettled(underWay)
    },
    pools,
  }
}

type Identity = { at: number; number: number }

type ManualPools = Readonly<
  Record<'firstReadings' | 'trials' | 'freeTrials' | 'freeBrowserTrials', FairPool>
>

const takeTrial = (
  pools: ManualPools,
  ...[{ id, tier }, check]: Parameters<ManualRuns['takeTrial']>
): ReturnType<ManualRuns['takeTrial']> => {
  if (tier !== 'free') return pools.trials.takeNow(id) ?? 'share'
  const place = pools.freeTrials.takeNow(id)
  // an agent of its own shares its pages with nobody
  if (place === null || check.type !== 'browser' || check.private) return place ?? 'share'
  const browser = pools.freeBrowserTrials.takeNow(id)
  if (browser === null) {
    place.release()
    return 'browsers'
  }
  return {
    release: () => {
      browser.release()
      place.release()
    },
  }
}

type UnansweredWhy = 'busy' | 'no_agent' | 'timeout' | 'refused' | 'failed'

type NoReading = 'no_agent' | 'timeout' | { error: string } | Error

const whyOf = (reply: NoReading): UnansweredWhy => {
  if (typeof reply === 'string') return reply
  if (reply instanceof Error) return 'failed'
  return reply.error === 'busy' ? 'busy' : 'refused'
}

const reasonOf = (reply: NoReading): string => {
  if (typeof reply === 'string') return reply
  return reply instanceof Error ? reply.message : reply.error
}
