import type { Region } from '@probe-mesh/contracts/regions'
import type { QuarantineRecord } from '../postgres/quarantines.ts'
import type { QuarantineBoard } from '../quarantine-board.ts'
import { nextQuarantine } from '../quarantine/quarantine.ts'
import type { Quarantine } from '../quarantine/quarantine.ts'
import { nothingSurveyed } from '../quarantine/survey.ts'
import type { Survey } from '../quarantine/survey.ts'
import type { Book } from './book.ts'
import type { AssessMetrics } from './metrics.ts'
import type { RegionWatch } from './region-watch.ts'

/** A region's quarantine with the survey that it began with. */
export type HeldQuarantine = Quarantine & { evidence: Survey }

export type Quarantiner = {
  /** The regions that are quarantined by what is judged here. */
  readonly held: ReadonlyMap<Region, HeldQuarantine>
  /** When a region that was held returned, Unix ms; null where none did since. */
  returnedAtMs(region: Region): number | null
  /** Surveys the regions, and lets the book count by what is known of them here and elsewhere. */
  decide(): void
  /** Says which regions are quarantined here, also when none is. */
  tell(): void
  /** Takes over a quarantine that another process began: it goes on until it is judged here. */
  adopt(quarantine: QuarantineRecord): void
}

/**
 * Decides which regions are quarantined (architecture.md "Status, honestly"), each control plane by
 * the checks that it judges. A region that any of them quarantines is so for all, since they
 * measure through the same agents.
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
  const surveyed = new Set<Region>()

  const tell = (): void => board.tell([...held.keys()])
  const count = (): void => {
    const regions = new Set(board.regions())
    book.quarantine(regions)
    for (const region of regions) surveyed.add(region)
    for (const region of surveyed) {
      metrics.quarantined.set({ region }, regions.has(region) ? 1 : 0)
    }
  }

  return {
    held,
    returnedAtMs: (region) => returned.get(region) ?? null,
    decide: () => {
      const nowMs = now()
      const surveys = watch.survey()
      for (const region of surveys.keys()) surveyed.add(region)
      let changed = false
      for (const region of new Set([...surveys.keys(), ...held.keys()])) {
        const before = held.get(region) ?? null
        const survey = surveys.get(region) ?? nothingSurveyed
        const next = nextQuarantine(before, survey, nowMs)
        changed ||= (before === null) !== (next === null)
        if (next !== null) {
          held.set(region, { ...next, evidence: before?.evidence ?? survey })
          returned.delete(region)
        } else if (held.delete(region)) returned.set(region, nowMs)
      }
      if (changed) tell()
      count()
    },
    tell,
    adopt: ({ region, sinceAtMs, hosts, failing, examples }) => {
      if (held.has(region)) return
      const evidence = { hosts, failing, examples, sinceMs: sinceAtMs }
      held.set(region, { sinceMs: sinceAtMs, cleanSinceMs: null, comparedAtMs: now(), evidence })
      tell()
      count()
    },
  }
}
