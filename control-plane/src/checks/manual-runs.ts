import { requestedRunMsMaxOf } from '@probe-mesh/contracts/mesh/assignment'
import type { StoredReading } from '@probe-mesh/contracts/check/check'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { agentPools } from '@probe-mesh/contracts/agent/agent-pools'
import type { AnswerExcerpt } from '@probe-mesh/contracts/reading/reading'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { Runs } from '@probe-mesh/bus/port'
import { createFairPool, type FairPool, type Place } from '@probe-mesh/runtime/fair-pool'
import type { Tier } from '@probe-mesh/contracts/account/tiers'
import type { Logger } from 'pino'
import { secretNamesIn, type AssignmentSealer, type UnsavedSecrets } from '../secrets/seal-assignments.ts'
import { assignmentOf } from './assignment-of.ts'
import type { CheckRecord } from '../records/check/check-record.ts'
import { describeReading } from '../readings/stored-reading.ts'

export type RunAnswers = {
  readings: StoredReading[]
  unanswered: Region[]
  /** Of the first region that returned one, where it was requested. */
  excerpt?: AnswerExcerpt
}

type RunOptions = {
  freeTrial?: boolean
  excerpt?: boolean
  /** Secrets of a draft, which are stored only when it is saved. */
  unsaved?: UnsavedSecrets
}

/** Requests manual readings from agents. The readings also travel the stream, like any other. */
export type ManualRuns = {
  /**
   * One reading per region of the check, and the regions that did not answer in time.
   * @param options.freeTrial a trial of a free account: agents run everything else first
   * @param options.excerpt the begin of the answer is returned, too
   */
  request(check: CheckRecord, options?: RunOptions): Promise<RunAnswers>
  /**
   * The same without waiting: the first readings of a new check. Each region is requested when it is the
   * account's turn, and dropped if that takes too long. Failures are only logged.
   */
  start(check: CheckRecord): void
  /**
   * A place for a trial of an account, or why there is none: the account's share is used up, or all browser
   * places of free accounts are.
   */
  reserveTrial(
    account: { id: string; tier: Tier },
    check: Pick<CheckRecord, 'type' | 'private'>,
  ): Place | 'share' | 'browsers'
  close(): Promise<void>
}

export const createManualRuns = (capabilities: {
  runs: Pick<Runs, 'request'>
  sealer: AssignmentSealer
  now: () => number
  log: Pick<Logger, 'warn'>
  /** First readings that were dropped because too many were running. */
  onDropped: (count: number) => void
  /** Why a region gave no reading: `busy`, `no_agent`, `timeout`, `refused` or `failed`. */
  onUnanswered?: (why: UnansweredWhy) => void
}): ManualRuns & { readonly pools: ManualPools } => {
  const { runs, sealer, now, log, onDropped, onUnanswered } = capabilities
  const running = new Set<Promise<unknown>>()
  const closing = new AbortController()
  const pools: ManualPools = {
    firstReadings: createFairPool(agentPools.firstReadings.bounds),
    trials: createFairPool(agentPools.trials.bounds),
    freeTrials: createFairPool(agentPools.freeTrials.bounds),
    freeBrowserTrials: createFairPool(agentPools.freeBrowserTrials.bounds),
  }

  const requestRegion = async (
    check: CheckRecord,
    region: Region,
    { at, number }: Identity,
    { freeTrial = false, excerpt = false, unsaved = {} }: RunOptions = {},
  ) => {
    const wanted = assignmentOf(check, region)
    if (wanted === null) return null
    // without a wait for a check without secrets: first readings take their turns in order
    const [assignment = wanted] =
      secretNamesIn(wanted).length === 0 ? [] : await sealer.seal([wanted], unsaved)
    const more = { ...(freeTrial && { freeTrial }), ...(excerpt && { excerpt }) }
    const question = { kind: 'manual', at, number, assignment, ...more } as const
    const reply = await runs
      .request(region, question, requestedRunMsMaxOf(assignment))
      .catch((error: unknown) => (error instanceof Error ? error : new Error('failed')))
    if (typeof reply === 'object' && 'reading' in reply) {
      const { excerpt: begin = null } = reply.reading
      return { reading: describeReading(reply.reading, reply.agent, null), excerpt: begin }
    }
    onUnanswered?.(whyOf(reply))
    log.warn({ checkId: check.id, region, reason: reasonOf(reply) }, 'a region gave no manual reading')
    return null
  }

  /** Gives every manual reading its own identity, also at the same instant. */
  const newIdentity = (): Identity => ({
    at: now(),
    number: crypto.getRandomValues(new Uint32Array(1))[0] ?? 0,
  })
  const request: ManualRuns['request'] = async (check, options) => {
    const identity = newIdentity()
    const answers = await Promise.all(
      check.regions.map(async (region) => ({
        region,
        answer: await requestRegion(check, region, identity, options),
      })),
    )
    const [excerpt] = answers.flatMap(({ answer }) => answer?.excerpt ?? [])
    return {
      readings: answers.flatMap(({ answer }) => answer?.reading ?? []),
      unanswered: answers.flatMap(({ region, answer }) => (answer === null ? region : [])),
      ...(excerpt !== undefined && { excerpt }),
    }
  }
  const requestInTurn = async (check: CheckRecord, region: Region, identity: Identity): Promise<void> => {
    const { firstReadings } = pools
    const wait = { signal: closing.signal, waitMsMax: limits.runTurnMsMax }
    const place = firstReadings.takeNow(check.accountId) ?? (await firstReadings.take(check.accountId, wait))
    if (typeof place === 'string') {
      if (place !== 'stopped') onDropped(1)
      return
    }
    try {
      await requestRegion(check, region, identity)
    } finally {
      place.release()
    }
  }

  return {
    request,
    start: (check) => {
      const identity = newIdentity()
      for (const region of check.regions) {
        const requested = requestInTurn(check, region, identity).finally(() => running.delete(requested))
        running.add(requested)
      }
    },
    reserveTrial: (account, check) => reserveTrial(pools, account, check),
    close: async () => {
      closing.abort()
      await Promise.allSettled(running)
    },
    pools,
  }
}

type Identity = { at: number; number: number }

type ManualPools = Readonly<Record<'firstReadings' | 'trials' | 'freeTrials' | 'freeBrowserTrials', FairPool>>

const reserveTrial = (
  pools: ManualPools,
  ...[{ id, tier }, check]: Parameters<ManualRuns['reserveTrial']>
): ReturnType<ManualRuns['reserveTrial']> => {
  if (tier !== 'free') return pools.trials.takeNow(id) ?? 'share'
  const place = pools.freeTrials.takeNow(id)
  // a private agent runs browsers for its own account only
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
