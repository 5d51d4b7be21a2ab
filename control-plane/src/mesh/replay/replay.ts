import type { StatusRule } from '@probe-mesh/contracts/check/status-rule'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { Revision } from '@probe-mesh/contracts/reading/slots'
import type { StatusChange } from '../../status/observe.ts'
import { newCheckState } from '../../status/state.ts'
import type { AssessedCheck } from '../../status/states-store.ts'
import { earliestSince } from '../../status/quarantine/quarantine-board.ts'
import type { BurstSpan } from '../../status/quarantine/region-bursts-store.ts'
import { createAssessmentState } from '../assess/assessment-state.ts'
import { sweepMs } from '../assess/context.ts'

/** A time in which a region had no vote, as the assessor knew it; `toMs` null: it lasts. Unix ms. */
export type QuarantinedSpan = { region: Region; fromMs: number; toMs: number | null }

/** What a check and its regions were, at any time of a replay. */
export type ReplayedHistory = {
  check: Pick<AssessedCheck, 'checkId' | 'accountId' | 'name' | 'host'>
  /** Oldest first. */
  revisions: readonly Revision[]
  quarantines: readonly QuarantinedSpan[]
  bursts: readonly BurstSpan[]
}

/** A reading with the time of its arrival. */
export type ArrivedReading = { reading: Reading; atMs: number }

/** The order in which the assessor judges: by arrival, and what arrives together by measurement. */
export const byArrival = (a: ArrivedReading, b: ArrivedReading): number =>
  a.atMs - b.atMs || a.reading.measuredAt - b.reading.measuredAt

/**
 * Judges the past again under a rule, with the memory and the state machine of the assessor on a clock of its own: each
 * reading when it arrived, and the passage of time on each whole second, as a sweep would (S-923).
 * @param onChange receives every flip, in order
 */
export const createReplay = (
  { check, revisions, quarantines, bursts }: ReplayedHistory,
  statusRule: StatusRule | null,
  onChange: (change: StatusChange) => void,
) => {
  let nowMs = 0
  let lastSweepMs = 0
  const state = createAssessmentState(() => nowMs)
  const { checkId } = check
  const lease = { partition: 0, epoch: 1 }
  const acts = actsOf(revisions, quarantines, bursts)
  let nextAct = 0

  const settle = (): void => {
    for (const write of state.flips()) {
      for (const { change } of write.flips) onChange(change)
      state.settle(write)
    }
  }
  const apply = ({ revision, quarantined, doubted }: Act): void => {
    if (quarantined !== undefined) return state.quarantine(quarantined)
    if (doubted !== undefined) return state.doubt(doubted)
    if (revision === undefined) return
    const { regions, intervalSeconds, paused } = revision
    const definition = { regions: [...regions], intervalSeconds, paused, statusRule }
    state.load({ ...check, ...definition, state: newCheckState }, lease)
  }

  /** The next whole second at which a sweep can change something. */
  const nextSweepMs = (): number =>
    Math.max(Math.ceil(Math.max(state.dueAtMs(checkId), nowMs) / sweepMs) * sweepMs, lastSweepMs + sweepMs)

  /** Lets time pass until an instant, that one included. */
  const passUntil = (untilMs: number): void => {
    for (;;) {
      const act = acts[nextAct]
      const sweepAtMs = nextSweepMs()
      if (act !== undefined && act.atMs <= untilMs && act.atMs <= sweepAtMs) {
        nowMs = Math.max(nowMs, act.atMs)
        apply(act)
        nextAct += 1
      } else if (sweepAtMs <= untilMs) {
        nowMs = Math.max(nowMs, sweepAtMs)
        lastSweepMs = sweepAtMs
        state.sweep(() => true)
        settle()
      } else break
    }
    nowMs = Math.max(nowMs, untilMs)
  }

  return {
    /** Judges readings, in the order of their arrival. */
    judge: ({ reading, atMs }: ArrivedReading): void => {
      passUntil(atMs)
      lastSweepMs = Math.max(lastSweepMs, Math.floor(atMs / sweepMs) * sweepMs)
      state.observe(reading)
      settle()
    },
    passUntil,
  }
}

/** A change of what is judged: the check has a new revision, or other regions are quarantined or doubted. */
type Act = {
  atMs: number
  revision?: Revision
  quarantined?: ReadonlySet<Region>
  doubted?: ReadonlyMap<Region, number>
}

const actsOf = (
  revisions: readonly Revision[],
  quarantines: readonly QuarantinedSpan[],
  bursts: readonly BurstSpan[],
): Act[] =>
  [
    ...revisions.map((revision) => ({ atMs: revision.validFromMs, revision })),
    ...edgesOf(quarantines).map(({ atMs, open }) => ({
      atMs,
      quarantined: new Set(open.map(({ region }) => region)),
    })),
    ...edgesOf(bursts).map(({ atMs, open }) => ({ atMs, doubted: earliestSince(open) })),
  ].toSorted((a, b) => a.atMs - b.atMs)

/** The instants at which spans begin or end, each with those that are open from then on. */
const edgesOf = <S extends { fromMs: number; toMs: number | null }>(
  spans: readonly S[],
): { atMs: number; open: S[] }[] =>
  [...new Set(spans.flatMap(({ fromMs, toMs }) => (toMs === null ? fromMs : [fromMs, toMs])))].map(
    (atMs) => ({
      atMs,
      open: spans.filter(({ fromMs, toMs }) => fromMs <= atMs && (toMs === null || toMs > atMs)),
    }),
  )
