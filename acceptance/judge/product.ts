import { noAssertions } from '@probe-mesh/contracts/check/assertions'
import { CatalogService } from '@probe-mesh/contracts/outage/catalog'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { nextSlot, revisionPhase } from '@probe-mesh/contracts/reading/slots'
import { noTimings } from '@probe-mesh/contracts/reading/reading-details'
import { createAssessmentState } from '@probe-mesh/control-plane/src/mesh/assess/assessment-state'
import { assessMetrics } from '@probe-mesh/control-plane/src/mesh/assess/metrics'
import { createQuarantiner } from '@probe-mesh/control-plane/src/mesh/assess/quarantiner'
import { createRegionWatch } from '@probe-mesh/control-plane/src/mesh/assess/region-watch'
import { catalogAccountId } from '@probe-mesh/control-plane/accounts/accounts-store'
import { indexCatalog } from '@probe-mesh/control-plane/catalog/catalog-index'
import { createCatalogMemory } from '@probe-mesh/control-plane/src/public-answers/observe/catalog-memory'
import { createCatalogBroadcast } from '@probe-mesh/control-plane/src/public-answers/observe/catalog-broadcast'
import { createObservedCatalog } from '@probe-mesh/control-plane/src/public-answers/observe/observed-catalog'
import {
  describeService,
  type StatusAnswer,
} from '@probe-mesh/control-plane/src/public-answers/describe-service'
import { openQuarantineBoard } from '@probe-mesh/control-plane/src/status/quarantine/quarantine-board'
import { staleAfterMs } from '@probe-mesh/control-plane/src/status/freshness'
import { newCheckState } from '@probe-mesh/control-plane/src/status/state'
import { describeStatus, type StatusDescription } from '@probe-mesh/control-plane/src/status/status'
import { judgeAttempt } from '@probe-mesh/probe-agent/src/judge/judge-attempt'
import { notMeasured } from '@probe-mesh/probe-agent/src/probes/not-measured'
import { deadlineFailure, failureOf } from '@probe-mesh/probe-agent/src/request/failure'
import type { Failure, Outcome } from '@probe-mesh/probe-agent/src/request/outcome'
import { Registry } from 'prom-client'
import type { Driven, Sighting } from './mesh.ts'
import { servicesCount, worldRegions, type Meeting } from './world/world.ts'

const intervalSeconds = 60
const attemptMs = 10_000
/** Production surveys regions every second; every other second halves the work here. */
const surveyTicks = 2
/** The start of all worlds. */
const epochMs = Date.parse('2026-11-20T12:00:00Z')

/** An old decision of the product, restored for a test: the judge must catch it. */
export type OldRule = {
  /** The reading as status and answers use it. */
  counted?(reading: Reading, nowMs: number): Reading
  /** The reading as evidence about its region. */
  watched?(reading: Reading): Reading
  /** The regions that must confirm a reading. */
  confirming?(regions: readonly string[], reading: Reading): readonly string[]
  /** For how long answers use a reading. */
  staleAfterMs?: number
  /** Simultaneous silence of unrelated services in a region counts as separate outages. */
  noBursts?: boolean
}

const regions = [...worldRegions]
const catalog = indexCatalog({
  stacks: [],
  services: Array.from({ length: servicesCount }, (_, n) =>
    CatalogService.parse({
      slug: `service-${n}`,
      name: `Service ${n}`,
      category: 'work',
      probes: [{ url: `https://service-${n}.com/` }],
    }),
  ),
})
const lease = { partition: 0, epoch: 1 }

/** The decisions of the control plane, wired as in production, on a virtual clock. */
export const createProduct = async (old: OldRule = {}) => {
  let worldNow: () => number = () => 0
  let ticks = 0
  const now = (): number => epochMs + Math.round(worldNow())
  const assessmentState = createAssessmentState(now)
  const metrics = assessMetrics(new Registry(), assessmentState)
  const watch = createRegionWatch({ find: assessmentState.get, now, metrics })
  const noEvents = {
    publish: () => undefined,
    subscribe: async () => ({ close: async () => undefined }),
  }
  const board = await openQuarantineBoard({
    events: noEvents,
    liveRegions: regions.length,
    now,
  })
  const judged = old.noBursts === true ? { ...assessmentState, doubt: () => undefined } : assessmentState
  const quarantiner = createQuarantiner({ assessmentState: judged, board, watch, metrics, now })
  const memory = createCatalogMemory({ catalog, regions, now })
  const broadcast = createCatalogBroadcast({
    events: {
      ...noEvents,
      publish: (_kind, payload) => {
        for (const reading of (payload as { readings: Reading[] }).readings) memory.add(reading)
      },
    },
    catalog,
    log: { warn: () => undefined },
    now,
  })
  const freshMs = old.staleAfterMs ?? staleAfterMs(intervalSeconds)
  const observed = createObservedCatalog({
    catalog,
    memory,
    baselines: { of: () => null, version: () => 0, refresh: async () => undefined },
    weather: { regions: () => [], refresh: async () => undefined },
    regions,
    staleAfterMs: freshMs,
    isReady: () => true,
    isQuarantined: board.isQuarantined,
    burstSinceMs: old.noBursts === true ? () => null : board.burstSinceMs,
    catalogIntervalSeconds: intervalSeconds,
    vantage: 'regional',
    now,
  })
  for (const { checkId, name, slug } of catalog.checks) {
    const host = `${slug}.com`
    const state = newCheckState
    const accountId = catalogAccountId
    assessmentState.load(
      { checkId, accountId, name, host, regions, intervalSeconds, paused: false, state },
      lease,
    )
  }

  const driven: Driven = {
    nextSlot: (service, region, fromMs) => {
      const intervalMs = intervalSeconds * 1_000
      const phase = revisionPhase(checkOf(service).checkId, region, {
        regions,
        intervalSeconds,
        isSpread: true,
      })
      return nextSlot(phase, intervalMs, epochMs + fromMs) - epochMs
    },
    consume: (sighting) => {
      const made = toReading(sighting)
      watch.note(old.watched?.(made) ?? made)
      const reading = old.counted?.(made, now()) ?? made
      const confirmation = assessmentState.observe(reading)
      broadcast([reading])
      const requested = confirmation?.regions ?? []
      const wanted = old.confirming?.(requested, reading) ?? requested
      return wanted.length === 0 ? null : { service: sighting.service, regions: wanted }
    },
    tick: () => {
      ticks += 1
      if (ticks % surveyTicks === 0) quarantiner.decide()
      assessmentState.sweep(() => true)
    },
  }
  return {
    drive: (clock: () => number): Driven => {
      worldNow = clock
      return driven
    },
    answer: (service: number): StatusAnswer => {
      const { slug } = checkOf(service)
      const named = { slug, name: `Service ${service}` }
      const how = { nowMs: now(), staleAfterMs: freshMs, vantage: 'regional' } as const
      return describeService(named, observed.regionsOf(slug), null, how, catalog.probes.get(slug) ?? [])
    },
    check: (service: number): StatusDescription => {
      const check = assessmentState.get(checkOf(service).checkId)
      if (check === undefined) throw new Error('the check no longer exists')
      return describeStatus(check.state, check, now())
    },
    /** Number of status changes of a check, without changes of its marks. */
    flips: (service: number): number => {
      const { checkId } = checkOf(service)
      const recorded = assessmentState.flips().find((write) => write.checkId === checkId)?.flips ?? []
      return recorded.filter(({ change }) => change.from !== change.to).length
    },
  }
}

const checkOf = (service: number): (typeof catalog.checks)[number] => {
  const check = catalog.checks[service]
  if (check === undefined) throw new Error(`no service ${service}`)
  return check
}

const measured = {
  timings: noTimings,
  latencyMs: 0,
  address: null,
  hops: 0,
  certificateExpiresAt: null,
  notes: [],
}
const answered = (status: number): Outcome => ({
  ...measured,
  ok: true,
  status,
  headers: {},
  body: null,
})
const failed = (failure: Failure): Outcome => ({ ...measured, ok: false, ...failure })
const remote = { local: false }
const judgementOf = (outcome: Outcome) =>
  judgeAttempt(outcome, { assertions: noAssertions, owner: 'catalog' })

/** The agent's judgement of each possible outcome of a request. */
const judgements = {
  good: judgementOf(answered(200)),
  refusal: judgementOf(answered(403)),
  answered: judgementOf(answered(503)),
  timeout: judgementOf(failed(deadlineFailure('connect', attemptMs))),
  reset: judgementOf(failed(failureOf('ttfb', 'ECONNRESET', remote))),
  refused: judgementOf(failed(failureOf('connect', 'ECONNREFUSED', remote))),
  name: judgementOf(failed(failureOf('dns', 'ENOTFOUND', remote))),
  tls: judgementOf(failed(failureOf('tls', 'CERT_HAS_EXPIRED', remote))),
} as const satisfies Record<Meeting, ReturnType<typeof judgementOf>>
const httpStatuses: Partial<Record<Meeting, number>> = { good: 200, refusal: 403, answered: 503 }

const toReading = (sighting: Sighting): Reading => {
  const { service, region, met, isRequested, isOwn } = sighting
  const judgement = met === null ? notMeasured.lagging : judgements[met]
  const reached = met !== null && met !== 'name' && met !== 'timeout'
  return {
    checkId: checkOf(service).checkId,
    region,
    slot: epochMs + Math.round(sighting.slot),
    kind: isRequested ? 'confirmation' : 'scheduled',
    number: 0,
    ...judgement,
    httpStatus: met === null ? null : (httpStatuses[met] ?? null),
    latencyMs: judgement.verdict === 'unmeasured' ? null : sighting.latencyMs,
    timings: noTimings,
    measuredAt: epochMs + sighting.measuredAt,
    attempts: sighting.attempts,
    lateMs: 0,
    address: reached ? `20.${service}.1.1` : null,
    certificateExpiresAt: null,
    // agents compare with canaries and the zone's own servers
    proven: !isOwn && (met === 'name' || met === 'tls'),
  }
}
