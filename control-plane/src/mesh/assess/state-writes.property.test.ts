import type { AccountEvent } from '@probe-mesh/contracts/mesh/events'
import type { Reading, Verdict } from '@probe-mesh/contracts/reading/reading'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Lease } from '../../stores/leases/leases-store.ts'
import { newestState } from '../../status/newest-state.ts'
import { newCheckState, type CheckState } from '../../status/state.ts'
import { storedWithinMs } from '../../status/what-matters.ts'
import type { AssessedCheck } from '../../status/states-store.ts'
import { checkId, readingAt } from '../../status/testing.ts'
import { createAssessmentState } from './assessment-state.ts'
import { isSettled } from './context.ts'

/**
 * A stream of one check's readings, and its owners one after another, each killed at any point. Twice: states are
 * written after every reading, as they were before, and as they are now.
 */

const startMs = 1_700_000_000_000
const second = 1_000
const regionsOf = (count: number): string[] => ['fra', 'iad', 'nrt'].slice(0, count)

type Message = { reading: Reading; storedAt: number }
type Event =
  | { atMs: number; kind: 'message'; message: Message }
  | { atMs: number; kind: 'kill'; awayMs: number; isBeforeWrite: boolean }
  | { atMs: number; kind: 'release' }
  | { atMs: number; kind: 'quarantine'; regions: readonly string[] }

const verdict = fc.oneof(
  { weight: 12, arbitrary: fc.constant<Verdict>('up') },
  { weight: 3, arbitrary: fc.constant<Verdict>('down') },
  { weight: 1, arbitrary: fc.constantFrom<Verdict>('blocked', 'unmeasured') },
)
const lateMs = fc.oneof(
  { weight: 30, arbitrary: fc.integer({ min: 100, max: 900 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1_000, max: 40_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 40_000, max: 900_000 }) },
)
const kills = fc.array(
  fc.record({
    atMs: fc.nat(1_200 * second),
    awayMs: fc.integer({ min: 1_000, max: 20_000 }),
    how: fc.constantFrom('kill', 'kill', 'kill before it writes', 'release'),
  }),
  { minLength: 1, maxLength: 8 },
)
const history = fc.record({
  regions: fc.integer({ min: 1, max: 3 }).map(regionsOf),
  intervalSeconds: fc.constantFrom(10, 10, 60, 300),
  /** Of runs of slots: a check fails for several in a row. */
  slots: fc.array(fc.record({ verdict, length: fc.integer({ min: 1, max: 9 }) }), {
    minLength: 5,
    maxLength: 40,
  }),
  lates: fc.array(lateMs, { minLength: 200, maxLength: 200 }),
  leaves: kills,
  quarantine: fc.option(
    fc.record({ fromMs: fc.nat(900 * second), forMs: fc.integer({ min: 1, max: 300 * second }) }),
  ),
})
type History = typeof history extends fc.Arbitrary<infer T> ? T : never

const eventsOf = ({ regions, intervalSeconds, slots, lates, leaves, quarantine }: History): Event[] => {
  const verdicts = slots.flatMap(({ verdict: one, length }) => Array.from({ length }, () => one))
  const messages = verdicts.slice(0, Math.ceil(1_200 / intervalSeconds)).flatMap((one, slot) =>
    regions.map((region, at): Event => {
      const number = slot * regions.length + at
      const slotMs = startMs + slot * intervalSeconds * second
      const measuredAt = slotMs + Math.floor((at * intervalSeconds * second) / regions.length)
      // a region alone fails now and then
      const reading = readingAt(region, one === 'down' && number % 7 === 0 ? 'up' : one, measuredAt, {
        checkId,
      })
      const storedAt = measuredAt + (lates[number % lates.length] ?? 0)
      return { atMs: storedAt, kind: 'message', message: { reading, storedAt } }
    }),
  )
  const others = leaves.map(({ atMs, awayMs, how }): Event =>
    how === 'release'
      ? { atMs: startMs + atMs, kind: 'release' }
      : { atMs: startMs + atMs, kind: 'kill', awayMs, isBeforeWrite: how !== 'kill' },
  )
  const doubts: Event[] =
    quarantine === null
      ? []
      : [
          { atMs: startMs + quarantine.fromMs, kind: 'quarantine', regions: ['fra'] },
          { atMs: startMs + quarantine.fromMs + quarantine.forMs, kind: 'quarantine', regions: [] },
        ]
  return [...messages, ...others, ...doubts].toSorted((a, b) => a.atMs - b.atMs)
}

/** The event of a flip, as alerts and live pages get it, without its random id. */
const messageOf = (payload: unknown): unknown => {
  const { flip, ...event } = payload as Extract<AccountEvent, { kind: 'flip' }>
  return { ...event, flip: { ...flip, id: '' } }
}

/** @param isEach whether each state is written at once, as before */
const play = (given: History, isEach: boolean) => {
  const { regions, intervalSeconds } = given
  const definition = { checkId, accountId: 'a', name: 'test', host: 'example.com', regions, intervalSeconds }
  const stream: Message[] = []
  const changes: unknown[] = []
  let row: CheckState = newCheckState
  let [acknowledged, judgedUntilMs, rowWrites, judgedAgain] = [0, 0, 0, 0]
  let nowMs = startMs
  let lease: Lease = { partition: 0, epoch: 0 }
  let quarantined: readonly string[] = []

  const begin = () => {
    lease = { partition: 0, epoch: lease.epoch + 1 }
    const state = createAssessmentState(() => nowMs)
    state.quarantine(new Set(quarantined))
    state.load({ ...definition, paused: false, state: row }, lease)
    return {
      state,
      lease,
      takenAtMs: nowMs,
      caughtUp: false,
      position: acknowledged,
      writeAllAtMs: nowMs + 7_000,
    }
  }
  let owner: ReturnType<typeof begin> | null = begin()
  const isReady = (check: AssessedCheck): boolean => owner !== null && isSettled(owner, check, nowMs)

  const record = (): void => {
    for (const write of owner?.state.flips() ?? []) {
      expect(write.expectedVersion).toBe(row.version)
      for (const { version, change, payload } of write.flips)
        changes.push({ version, change, message: messageOf(payload) })
      // messages say what the row of the flip says about regions
      changes.push({ regions: write.state.regions })
      row = write.state
      owner?.state.settle(write)
    }
  }
  const write = (isAll: boolean): void => {
    if (owner === null) return
    const { state, position } = owner
    if (isAll) state.makeDue(lease)
    state.makeOverdueDue(nowMs)
    if (state.takeLate(lease)) judgedUntilMs = Math.max(judgedUntilMs, stream[position - 1]?.storedAt ?? 0)
    for (const { state: written } of state.takeDirty(10)) {
      row = written
      rowWrites += 1
    }
    if (!isAll) return
    acknowledged = position
    owner.writeAllAtMs = nowMs + storedWithinMs
  }
  const read = (): void => {
    if (owner === null) return
    const messages = stream.slice(owner.position)
    const readings = owner.caughtUp
      ? messages
      : messages.toSorted((a, b) => a.reading.measuredAt - b.reading.measuredAt)
    for (const { reading, storedAt } of readings) {
      owner.state.observe(reading, isReady, storedAt <= judgedUntilMs ? storedAt : 0)
    }
    owner.position = stream.length
    owner.caughtUp = true
    record()
  }
  /** Time passes in steps of its loops. */
  const pass = (toMs: number): void => {
    for (; nowMs < toMs; nowMs += second) {
      owner?.state.sweep(isReady)
      record()
      write(isEach || nowMs >= (owner?.writeAllAtMs ?? Infinity))
    }
  }
  const events = eventsOf(given)
  for (const [at, event] of events.entries()) {
    const next = events[at + 1]
    const isCut = event.kind === 'kill' && event.isBeforeWrite
    if (!isCut) pass(event.atMs)
    switch (event.kind) {
      case 'message':
        stream.push(event.message)
        read()
        if (next?.kind === 'kill' && next.isBeforeWrite) break
        write(isEach)
        break
      case 'release':
        write(true)
        owner = begin()
        read()
        break
      case 'kill':
        judgedAgain += stream.length - acknowledged
        owner = null
        pass(nowMs + event.awayMs)
        owner = begin()
        read()
        break
      case 'quarantine':
        quarantined = event.regions
        owner?.state.quarantine(new Set(quarantined))
        // what counted until then is written within 300 ms; a kill in between is not played
        write(isEach)
        break
      default:
        event satisfies never
    }
    const held = owner?.state.get(checkId)?.state
    if (held !== undefined) expect(newestState(row, held).regions).toEqual(held.regions)
  }
  pass(nowMs + 120 * second)
  write(true)
  return { changes, row, rowWrites, judgedAgain }
}

test('with any kills, states that wait lead to the same flips, messages and state as states written at once', () => {
  let [before, after, again] = [0, 0, 0]
  forAll([history], { numRuns: 1_000 }, (given) => {
    const [each, waiting] = [play(given, true), play(given, false)]
    expect(waiting.changes).toEqual(each.changes)
    expect(waiting.row).toEqual(each.row)
    before += each.rowWrites
    after += waiting.rowWrites
    again += waiting.judgedAgain
  })
  // else it would prove nothing
  expect(again).toBeGreaterThan(100)
  expect(after).toBeLessThan(before)
})
