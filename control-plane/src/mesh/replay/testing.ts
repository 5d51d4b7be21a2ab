import type { StatusRule } from '@probe-mesh/contracts/check/status-rule'
import type { Reading, Verdict } from '@probe-mesh/contracts/reading/reading'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { Revision } from '@probe-mesh/contracts/reading/slots'
import type { StatusChange } from '../../status/observe.ts'
import { earliestSince } from '../../status/quarantine/quarantine-board.ts'
import type { BurstSpan } from '../../status/quarantine/region-bursts-store.ts'
import { newCheckState } from '../../status/state.ts'
import { readingAt } from '../../status/testing.ts'
import { createAssessmentState, type Confirmation } from '../assess/assessment-state.ts'
import { sweepMs, type AssessContext, type Holding } from '../assess/context.ts'
import { judgeMessages } from '../assess/follow-partition.ts'
import type { ArrivedReading, QuarantinedSpan, ReplayedHistory } from './replay.ts'

/** Something that happens to a region, from one slot to another. */
export type Trouble = {
  region: number
  fromSlot: number
  slots: number
  kind:
    | 'answers badly'
    | 'is silent'
    | 'is proven'
    | 'comes and goes'
    | 'refuses'
    | 'is slow'
    | 'is busy'
    | 'cannot measure'
    | 'is off'
    | 'delivers late'
    | 'quarantined'
    | 'is doubted'
}

/** The script of a check's life; `seed` gives delays and jitter. */
export type Script = {
  regions: readonly Region[]
  intervalSeconds: number
  statusRule: StatusRule | null
  troubles: readonly Trouble[]
  /** A pause, or the loss of the last region. */
  revisions: readonly { atSlot: number; slots: number; kind: 'pause' | 'fewer regions' }[]
  seed: number
}

export const slotsOfScript = 40
const t0 = 1_700_000_000_000

/** What the assessor decided, and what is stored of what it saw. */
export type Lived = {
  changes: StatusChange[]
  stored: ArrivedReading[]
  history: ReplayedHistory
  endMs: number
}

/**
 * Lets agents measure a check and the assessor judge it: its messages, its confirmations, its sweeps each second.
 * @param checkId of the readings
 */
export const liveThrough = async (script: Script, checkId: string, beganMs = t0): Promise<Lived> => {
  const { regions, intervalSeconds, statusRule, troubles } = script
  const intervalMs = intervalSeconds * 1_000
  const random = randomOf(script.seed)
  const endMs = beganMs + slotsOfScript * intervalMs
  const revisions = revisionsOf(script, beganMs, intervalMs)
  const quarantines = quarantinesOf(script, beganMs, intervalMs)
  const bursts = burstsOf(script, beganMs, intervalMs)
  let nowMs = beganMs
  const state = createAssessmentState(() => nowMs)
  const lease = { partition: 0, epoch: 1 }
  const check = { checkId, accountId: 'account', name: 'test', host: 'example.org' }
  const changes: StatusChange[] = []
  const stored: ArrivedReading[] = []
  const queue = createQueue()

  const troublesOf = (region: Region, atMs: number): ReadonlySet<Trouble['kind']> =>
    new Set(
      troubles
        .filter(({ region: index, fromSlot, slots }) => {
          const fromMs = beganMs + fromSlot * intervalMs
          return regions[index] === region && fromMs <= atMs && atMs < fromMs + slots * intervalMs
        })
        .map(({ kind }) => kind),
    )
  const measure = (region: Region, atMs: number, more: Partial<Reading>): void => {
    const seen = troublesOf(region, atMs)
    if (seen.has('is off')) return
    const reading = readingOf(region, atMs, seen, random, { checkId, ...more })
    const late = troubles.find(
      ({ kind, region: index, fromSlot, slots }) =>
        kind === 'delivers late' &&
        regions[index] === region &&
        beganMs + fromSlot * intervalMs <= atMs &&
        atMs < beganMs + (fromSlot + slots) * intervalMs,
    )
    const aheadMs = 100 + random(700)
    const arrivesMs =
      late === undefined
        ? reading.measuredAt + aheadMs
        : beganMs + (late.fromSlot + late.slots) * intervalMs + (regions.indexOf(region) * 7 + 1)
    queue.deliver(arrivesMs, reading)
    // a message whose acknowledgement was lost is delivered again, and stored once
    if (random(20) > 0) return
    const laterMs = random(3_000)
    queue.deliver(arrivesMs + 1 + laterMs + ((laterMs + 2) % 3) * intervalMs, reading, false)
  }
  const context = {
    assessmentState: state,
    now: () => nowMs,
    watch: { note: () => undefined },
    confirmer: {
      confirm: ({ regions: asked, atMs }: Confirmation): void => {
        for (const region of asked) {
          measure(region, atMs + 20 + random(2_000), { kind: 'confirmation', slot: atMs })
        }
      },
    },
    metrics: { readings: { inc: () => undefined } },
    decode: ({ data }: { data: unknown }) => ({ readings: data }),
  } as unknown as AssessContext
  const holding = {
    lease,
    signal: new AbortController().signal,
    caughtUp: true,
    takenAtMs: 0,
  } as unknown as Holding
  const settle = (): void => {
    for (const write of state.flips()) {
      changes.push(...write.flips.map(({ change }) => change))
      state.settle(write)
    }
  }

  for (const revision of revisions) {
    queue.act(revision.validFromMs, () => {
      const { regions: measuring, intervalSeconds: every, paused } = revision
      const definition = { regions: [...measuring], intervalSeconds: every, paused, statusRule }
      state.load({ ...check, ...definition, state: newCheckState }, lease)
    })
  }
  for (const atMs of new Set(quarantines.flatMap(({ fromMs, toMs }) => [fromMs, toMs ?? endMs]))) {
    queue.act(atMs, () => {
      const now = quarantines.filter(({ fromMs, toMs }) => fromMs <= atMs && (toMs ?? endMs) > atMs)
      state.quarantine(new Set(now.map(({ region }) => region)))
    })
  }
  for (const atMs of new Set(bursts.flatMap(({ fromMs, toMs }) => [fromMs, toMs]))) {
    queue.act(atMs, () => {
      state.doubt(earliestSince(bursts.filter(({ fromMs, toMs }) => fromMs <= atMs && atMs < toMs)))
    })
  }
  for (const [index, region] of regions.entries()) {
    const phaseMs = Math.round((intervalMs * index) / regions.length) + 100 + random(300)
    for (let slot = 0; slot < slotsOfScript; slot++) {
      const slotMs = beganMs + slot * intervalMs + phaseMs
      const due = revisions.findLast(({ validFromMs }) => validFromMs <= slotMs)
      if (due?.paused === false && due.regions.includes(region)) {
        queue.measure(slotMs, () => measure(region, slotMs, { slot: slotMs }))
      }
    }
  }
  for (let sweepAtMs = Math.ceil(beganMs / sweepMs) * sweepMs; sweepAtMs <= endMs; sweepAtMs += sweepMs) {
    for (const event of queue.before(sweepAtMs)) {
      nowMs = event.atMs
      if (event.kind === 'message') {
        if (event.isStored) stored.push(...event.readings.map((reading) => ({ reading, atMs: event.atMs })))
        await judgeMessages(context, holding, [{ data: event.readings } as never])
      } else event.act()
      settle()
    }
    nowMs = sweepAtMs
    state.sweep(() => true)
    settle()
  }
  return { changes, stored, history: { check, revisions, quarantines, bursts }, endMs }
}

type Message = { kind: 'message'; atMs: number; readings: Reading[]; isStored: boolean }
type Event = Message | { kind: 'act'; atMs: number; act: () => void }

/** What is to come, in order of time; acts of an instant come before its sweep, messages after it. */
const createQueue = () => {
  const messages = new Map<number, Message>()
  const acts = new Map<number, (() => void)[]>()
  const add = (atMs: number, act: () => void): void => void acts.set(atMs, [...(acts.get(atMs) ?? []), act])
  return {
    act: add,
    measure: (atMs: number, act: () => void): void => add(atMs, act),
    deliver: (atMs: number, reading: Reading, isStored = true): void => {
      // one message for all that an agent delivers at once, and never two at one instant
      let freeMs = atMs
      for (;;) {
        const there = messages.get(freeMs)
        if (there === undefined) break
        if (there.isStored && isStored && there.readings[0]?.region === reading.region) {
          there.readings.push(reading)
          return
        }
        freeMs += 1
      }
      messages.set(freeMs, { kind: 'message', atMs: freeMs, readings: [reading], isStored })
    },
    *before(sweepAtMs: number): Generator<Event> {
      for (;;) {
        const actMs = Math.min(...acts.keys())
        const messageMs = Math.min(...messages.keys())
        if (actMs <= sweepAtMs && actMs <= messageMs) {
          const due = acts.get(actMs) ?? []
          acts.delete(actMs)
          for (const act of due) yield { kind: 'act', atMs: actMs, act }
        } else if (messageMs < sweepAtMs) {
          const message = messages.get(messageMs)
          messages.delete(messageMs)
          if (message !== undefined) yield message
        } else return
      }
    },
  }
}

const readingOf = (
  region: Region,
  atMs: number,
  seen: ReadonlySet<Trouble['kind']>,
  random: (below: number) => number,
  more: Partial<Reading>,
): Reading => {
  const fails =
    seen.has('answers badly') ||
    seen.has('is silent') ||
    seen.has('is proven') ||
    (seen.has('comes and goes') && random(2) === 0)
  const verdict: Verdict = seen.has('cannot measure')
    ? 'unmeasured'
    : seen.has('refuses')
      ? 'blocked'
      : fails
        ? 'down'
        : 'up'
  const silent = seen.has('is silent')
    ? { cause: 'connect_timeout', httpStatus: null }
    : seen.has('is proven')
      ? { cause: 'certificate_expired', httpStatus: null, proven: true }
      : {}
  const tookMs = seen.has('is slow') ? 900.5 : 80 + random(50)
  const latencyMs = seen.has('is busy') ? null : tookMs
  const measuredAt = atMs + 30 + random(400)
  return readingAt(region, verdict, measuredAt, { latencyMs, ...(verdict === 'down' && silent), ...more })
}

const revisionsOf = (
  { regions, intervalSeconds, revisions }: Script,
  beganMs: number,
  intervalMs: number,
): Revision[] => {
  const base = { regions, intervalSeconds, isSpread: false, paused: false }
  const edges = revisions
    .flatMap(({ atSlot, slots, kind }) => [
      {
        atMs: beganMs + atSlot * intervalMs + 17,
        ...base,
        ...(kind === 'pause'
          ? { paused: true }
          : { regions: regions.slice(0, Math.max(1, regions.length - 1)) }),
      },
      { atMs: beganMs + (atSlot + slots) * intervalMs + 23, ...base },
    ])
    .toSorted((a, b) => a.atMs - b.atMs)
  const all = [{ atMs: beganMs, ...base }, ...edges]
  return all.map(({ atMs, ...revision }, index) => ({
    ...revision,
    validFromMs: atMs,
    validToMs: all[index + 1]?.atMs ?? null,
  }))
}

const quarantinesOf = (
  { regions, troubles }: Script,
  beganMs: number,
  intervalMs: number,
): QuarantinedSpan[] =>
  troubles.flatMap(({ kind, region, fromSlot, slots }) => {
    const name = regions[region]
    if (kind !== 'quarantined' || name === undefined) return []
    const fromMs = beganMs + fromSlot * intervalMs + 411
    return [{ region: name, fromMs, toMs: fromMs + slots * intervalMs }]
  })

/** Silence counts as unmeasured from a little before it is known. */
const burstsOf = ({ regions, troubles }: Script, beganMs: number, intervalMs: number): BurstSpan[] =>
  troubles.flatMap(({ kind, region, fromSlot, slots }) => {
    const name = regions[region]
    if (kind !== 'is doubted' || name === undefined) return []
    const fromMs = beganMs + fromSlot * intervalMs + 733
    return [{ region: name, sinceMs: fromMs - 7_000, fromMs, toMs: fromMs + slots * intervalMs }]
  })

/** Whole numbers below a bound, the same for the same seed. */
const randomOf = (seed: number): ((below: number) => number) => {
  let state = seed >>> 0 || 1
  return (below) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % below
  }
}
