import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { QuarantineRecord } from '../../status/quarantine/quarantines-store.ts'
import type { QuarantineBoard } from '../../status/quarantine/quarantine-board.ts'
import { nextBurst } from '../../status/quarantine/burst.ts'
import type { Burst } from '../../status/quarantine/burst.ts'
import { judgeSurvey, nextQuarantine } from '../../status/quarantine/quarantine.ts'
import type { Quarantine } from '../../status/quarantine/quarantine.ts'
import { evidenceOf } from '../../status/quarantine/sources.ts'
import type { Evidence } from '../../status/quarantine/sources.ts'
import { nothingSurveyed } from '../../status/quarantine/survey.ts'
import type { Survey } from '../../status/quarantine/survey.ts'
import type { Book } from './assessment-state.ts'
import type { AssessMetrics } from './metrics.ts'
import type { RegionWatch } from './region-watch.ts'

/** A region's quarantine with the evidence that it began with. */
export type HeldQuarantine = Quarantine & { evidence: Evidence }

/**
 * A region that many hosts accuse and that keeps its vote. `unconfirmed`: only accounts' checks do.
 * `majority`: as many regions as may have lost theirs already.
 */
export type RefusedDoubt = { region: Region; why: 'unconfirmed' | 'majority'; evidence: Evidence }

export type Quarantiner = {
  /** The regions that are quarantined by what is judged here. */
  readonly held: ReadonlyMap<Region, HeldQuarantine>
  /** When a region that was held returned, Unix ms; null where none did since. */
  returnedAtMs(region: Region): number | null
  /** Surveys the regions, and lets the book count by what is known of them here and elsewhere. */
  decide(): void
  /** What was refused as evidence when it was decided last. */
  refused(): RefusedDoubt[]
  /** Says which regions are quarantined here, also when none is. */
  tell(): void
  /** Takes over a quarantine that another process began: it goes on until it is judged here. */
  adopt(quarantine: QuarantineRecord): void
}

/**
 * Decides which regions are quarantined, each control plane by the checks that it judges. A region
 * that any of them quarantines is so for all, since they measure through the same agents, and never
 * more than half of the regions.
 */
export const createQuarantiner = (capabilities: {
  book: Book
  board: QuarantineBoard
  watch: RegionWatch
  metrics: AssessMetrics
  now: () => number
}): Quarantiner => {
  const { book, board, watch, metrics, now } = capabilities
  const held = new Map<Region, HeldQuarantine>()
  const returned = new Map<Region, number>()
  const bursts = new Map<Region, Burst>()
  const surveyed = new Set<Region>()
  let surveys: ReadonlyMap<Region, Survey> = new Map()

  const tell = (): void => {
    board.tell(
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
  const count = (): void => {
    const regions = new Set(board.regions())
    book.quarantine(regions)
    const known = [...surveyed].flatMap((region) => {
      const sinceMs = board.burstSinceMs(region)
      return sinceMs === null ? [] : [[region, sinceMs] as const]
    })
    book.doubt(new Map(known))
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
      if (changed) tell()
      count()
    },
    refused: () =>
      [...surveys].flatMap(([region, survey]) => {
        const why = whyRefused(region, survey)
        return why === null ? [] : [{ region, why, evidence: evidenceOf(survey, false) }]
      }),
    tell,
    adopt: ({ region, sinceAtMs, hosts, failing, refused, examples, sources }) => {
      if (held.has(region)) return
      const evidence = { hosts, failing, refused, examples, sources }
      held.set(region, { sinceMs: sinceAtMs, cleanSinceMs: null, comparedAtMs: now(), evidence })
      tell()
      count()
    },
  }
}
