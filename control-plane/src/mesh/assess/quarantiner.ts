import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { QuarantineRecord } from '../../status/quarantine/quarantines-store.ts'
import type { QuarantineBoard } from '../../status/quarantine/quarantine-board.ts'
import { nextBurst, type Burst } from '../../status/quarantine/burst.ts'
import type { BurstSpan } from '../../status/quarantine/region-bursts-store.ts'
import { judgeSurvey, nextQuarantine, type Quarantine } from '../../status/quarantine/quarantine.ts'
import { evidenceOf, type Evidence } from '../../status/quarantine/sources.ts'
import { nothingSurveyed, type Survey } from '../../status/quarantine/survey.ts'
import type { AssessmentState } from './assessment-state.ts'
import type { AssessMetrics } from './metrics.ts'
import type { RegionWatch } from './region-watch.ts'

/** A region's quarantine with the evidence at its beginning. */
export type HeldQuarantine = Quarantine & { evidence: Evidence }

/**
 * A region that keeps its vote although many hosts fail only there. `unconfirmed`: only checks of accounts
 * show it. `majority`: the allowed number of regions have lost their vote already.
 */
export type RefusedDoubt = { region: Region; why: 'unconfirmed' | 'majority'; evidence: Evidence }

export type Quarantiner = {
  /** The regions quarantined by the checks that this process judges. */
  readonly held: ReadonlyMap<Region, HeldQuarantine>
  /** When a region returned from quarantine, Unix ms; null if it has not. */
  returnedAtMs(region: Region): number | null
  /** Surveys the regions, and applies the quarantines and bursts known here and at other control planes. */
  decide(): void
  /** Evidence that the last decision refused. */
  refused(): RefusedDoubt[]
  /** When bursts were applied here, those of the last call left out unless they last. */
  takeBursts(): BurstSpan[]
  /** Broadcasts which regions are quarantined here, also when none is. */
  broadcast(): void
  /** Adopts a quarantine that another process began. It lasts until this process decides about it. */
  adopt(quarantine: QuarantineRecord): void
}

/**
 * Decides which regions are quarantined, by the checks that this control plane judges. A region that any
 * control plane quarantines is quarantined for all, because all use the same agents. At most half of the
 * regions are quarantined at once.
 */
export const createQuarantiner = (capabilities: {
  assessmentState: AssessmentState
  board: QuarantineBoard
  watch: RegionWatch
  metrics: AssessMetrics
  now: () => number
}): Quarantiner => {
  const { assessmentState, board, watch, metrics, now } = capabilities
  const held = new Map<Region, HeldQuarantine>()
  const returned = new Map<Region, number>()
  const bursts = new Map<Region, Burst>()
  const surveyed = new Set<Region>()
  /** When bursts were applied, not taken yet; the last one of a region may last. */
  let applied: BurstSpan[] = []
  let surveys: ReadonlyMap<Region, Survey> = new Map()

  const broadcast = (): void => {
    board.publish(
      [...held].map(([region, { sinceMs }]) => ({ region, sinceMs })),
      [...bursts].map(([region, { sinceMs }]) => ({ region, sinceMs })),
    )
  }
  /** @returns whether a burst began, changed or ended */
  const lookForBursts = (nowMs: number): boolean => {
    let changed = false
    for (const region of new Set([...surveys.keys(), ...bursts.keys()])) {
      const before = bursts.get(region) ?? null
      const next = nextBurst(before, surveys.get(region) ?? nothingSurveyed, nowMs)
      changed ||= before?.sinceMs !== next?.sinceMs
      if (next === null) bursts.delete(region)
      else bursts.set(region, next)
    }
    return changed
  }
  const whyRefused = (region: Region, survey: Survey): RefusedDoubt['why'] | null => {
    if (held.has(region)) return board.isQuarantined(region) ? null : 'majority'
    return judgeSurvey(survey) === 'unconfirmed' ? 'unconfirmed' : null
  }
  const noteBursts = (known: readonly (readonly [Region, number])[]): void => {
    const nowMs = now()
    for (const [region, sinceMs] of known) {
      const held = applied.find((span) => span.region === region && span.sinceMs === sinceMs)
      if (held === undefined) applied.push({ region, sinceMs, fromMs: nowMs, toMs: nowMs })
      else held.toMs = nowMs
    }
  }
  const count = (): void => {
    const regions = new Set(board.regions())
    assessmentState.quarantine(regions)
    const known = [...surveyed].flatMap((region) => {
      const sinceMs = board.burstSinceMs(region)
      return sinceMs === null ? [] : [[region, sinceMs] as const]
    })
    assessmentState.doubt(new Map(known))
    noteBursts(known)
    for (const region of regions) surveyed.add(region)
    for (const region of surveyed) {
      metrics.quarantined.set({ region }, regions.has(region) ? 1 : 0)
      const survey = surveys.get(region) ?? nothingSurveyed
      const why = whyRefused(region, survey)
      metrics.doubtsRefused.set({ region, why: 'unconfirmed' }, why === 'unconfirmed' ? 1 : 0)
      metrics.doubtsRefused.set({ region, why: 'majority' }, why === 'majority' ? 1 : 0)
      for (const owner of ['catalog', 'accounts'] as const) {
        metrics.hostsFailing.set({ region, owner }, survey[owner].failing)
      }
    }
  }

  return {
    held,
    returnedAtMs: (region) => returned.get(region) ?? null,
    decide: () => {
      const nowMs = now()
      surveys = watch.survey()
      for (const region of surveys.keys()) surveyed.add(region)
      let changed = lookForBursts(nowMs)
      for (const region of new Set([...surveys.keys(), ...held.keys()])) {
        const before = held.get(region) ?? null
        const survey = surveys.get(region) ?? nothingSurveyed
        const next = nextQuarantine(before, survey, nowMs)
        changed ||= (before === null) !== (next === null)
        if (next !== null) {
          held.set(region, { ...next, evidence: before?.evidence ?? evidenceOf(survey, true) })
          returned.delete(region)
        } else if (held.delete(region)) returned.set(region, nowMs)
      }
      if (changed) broadcast()
      count()
    },
    refused: () =>
      [...surveys].flatMap(([region, survey]) => {
        const why = whyRefused(region, survey)
        return why === null ? [] : [{ region, why, evidence: evidenceOf(survey, false) }]
      }),
    takeBursts: () => {
      const taken = applied.map((span) => ({ ...span }))
      applied = applied.filter(({ region, sinceMs }) => board.burstSinceMs(region) === sinceMs)
      return taken
    },
    broadcast,
    adopt: ({ region, sinceAtMs, hosts, failing, refused, examples, sources }) => {
      if (held.has(region)) return
      const evidence = { hosts, failing, refused, examples, sources }
      held.set(region, { sinceMs: sinceAtMs, cleanSinceMs: null, comparedAtMs: now(), evidence })
      broadcast()
      count()
    },
  }
}
