import {
  clock,
  finding,
  type Facts,
  type Finding,
  type Revision,
  type SlotCounts,
  type StoredReading,
} from './facts.ts'

/** An expected slot of the oracle. */
type DueSlot = { check: string; region: string; slot: number }

/**
 * Slots form a grid. Its phase comes from stored readings, and its extent from the revisions. The product's
 * own rule is not used.
 */
const dueSlots = (facts: Pick<Facts, 'readings' | 'revisions' | 'span'>) => {
  const { readings, revisions, span } = facts
  const stored = Map.groupBy(scheduled(readings), ({ check, region }) => `${check} ${region}`)
  const due: DueSlot[] = []
  const offGrid: DueSlot[] = []
  const unmeasured: string[] = []
  for (const revision of revisions) {
    if (revision.paused) continue
    const fromMs = Math.max(revision.fromMs, span.fromMs)
    const toMs = Math.min(revision.toMs ?? span.toMs, span.toMs)
    for (const region of revision.regions) {
      const { check, intervalMs } = revision
      const own = (stored.get(`${check} ${region}`) ?? []).filter(({ slot }) => isOf(revision, slot))
      const phase = mostCommon(own.map(({ slot }) => slot % intervalMs))
      if (phase === null) {
        if (fromMs < toMs) unmeasured.push(`${check} ${region} since ${clock(fromMs)}`)
        continue
      }
      for (const { slot } of own) {
        const isCounted = span.fromMs <= slot && slot < span.toMs
        if (isCounted && slot % intervalMs !== phase) offGrid.push({ check, region, slot })
      }
      const first = fromMs + ((((phase - fromMs) % intervalMs) + intervalMs) % intervalMs)
      for (let slot = first; slot < toMs; slot += intervalMs) due.push({ check, region, slot })
    }
  }
  return { due, offGrid, unmeasured }
}

const scheduled = (readings: readonly StoredReading[]): StoredReading[] =>
  readings.filter(({ kind }) => kind === 'scheduled')

const isOf = ({ fromMs, toMs }: Revision, slot: number): boolean =>
  fromMs <= slot && slot < (toMs ?? Number.POSITIVE_INFINITY)

const mostCommon = (values: readonly number[]): number | null => {
  const groups = [...Map.groupBy(values, (value) => value)]
  return groups.toSorted((a, b) => b[1].length - a[1].length)[0]?.[0] ?? null
}

const keyOf = ({ check, region, slot }: DueSlot): string => `${check} ${region} ${slot}`

/** How long before and after a kill of a region's agents its slots may be unmeasured. */
const aroundMs = { before: 10_000, after: 20_000 }
/** How long a busy machine may need until agents receive a new grid of a check. */
const knownMsMax = 20_000

type Reason = 'agents' | 'grid' | 'none'

/** Why an expected slot was not measured, or an unexpected one was. */
const reasonFor = ({ check, region, slot }: DueSlot, facts: Facts): Reason => {
  const { faults, revisions, beganAt } = facts
  const isOfDead = faults.some(
    (fault) =>
      fault.region === region &&
      fault.fromMs - aroundMs.before <= slot &&
      slot <= fault.toMs + aroundMs.after,
  )
  if (isOfDead) return 'agents'
  const isOfChange = revisions.some(
    ({ check: of, fromMs }) =>
      of === check && fromMs >= beganAt && fromMs <= slot && slot <= fromMs + knownMsMax,
  )
  return isOfChange ? 'grid' : 'none'
}

const of = (slots: readonly DueSlot[], facts: Facts, reason: Reason): DueSlot[] =>
  slots.filter((slot) => reasonFor(slot, facts) === reason)

const perRegion = (slots: readonly DueSlot[]): string =>
  [...Map.groupBy(slots, ({ region }) => region)].map(([region, own]) => `${own.length} ${region}`).join(', ')

const textOf = ({ check, region, slot }: DueSlot): string => `${check} ${region} ${clock(slot)}`

const minuteMs = 60_000
/** `series` counts for each minute how many more slots were expected than measured, at least 0. */
const lostOf = (due: readonly DueSlot[], measured: readonly DueSlot[]): number => {
  const left = new Map<number, number>()
  const add = (slot: number, count: number): void => {
    const minute = Math.floor(slot / minuteMs)
    left.set(minute, (left.get(minute) ?? 0) + count)
  }
  for (const { slot } of due) add(slot, 1)
  for (const { slot } of measured) add(slot, -1)
  return [...left.values()].reduce((sum, count) => sum + Math.max(0, count), 0)
}

const members = ['due', 'measured', 'lost', 'up', 'down', 'blocked', 'unmeasured'] as const

/** Compares expected slots with stored ones and with `series`. */
export const judgeSlots = (facts: Facts): Finding[] => {
  const { readings, series, span } = facts
  const { due, offGrid, unmeasured } = dueSlots(facts)
  const stored = new Map(
    scheduled(readings)
      .filter(({ slot }) => span.fromMs <= slot && slot < span.toMs)
      .map((reading) => [keyOf(reading), reading]),
  )
  const missing = due.filter((slot) => !stored.has(keyOf(slot)))
  const dueOf = Map.groupBy(due, ({ check }) => check)
  const storedOf = Map.groupBy(stored.values(), ({ check }) => check)
  const own = new Map(
    [...series.keys()].map((check) => [check, countsOf(dueOf.get(check) ?? [], storedOf.get(check) ?? [])]),
  )
  const sum = (counts: ReadonlyMap<string, SlotCounts>, member: keyof SlotCounts): number =>
    [...counts.values()].reduce((total, one) => total + one[member], 0)
  const [missedNow, strayNow] = [of(missing, facts, 'none'), of(offGrid, facts, 'none')]
  return [
    finding('regions that never measured a check', 0, unmeasured.length, unmeasured),
    ...members.map((member) =>
      finding(
        `slots ${member}: counted / \`series\` of every check`,
        sum(own, member),
        sum(series, member),
        [...series].flatMap(([check, reported]) => {
          const counted = own.get(check)?.[member]
          return counted === reported[member] ? [] : [`${check}: ${counted}, series ${reported[member]}`]
        }),
      ),
    ),
    finding(
      'slots missing while agents of their region were dead or frozen',
      of(missing, facts, 'agents').length,
      perRegion(of(missing, facts, 'agents')),
    ),
    finding(
      'slots after a check was given another grid: missing / measured on the old one',
      `${of(missing, facts, 'grid').length} / ${of(offGrid, facts, 'grid').length}`,
      '',
    ),
    finding('slots missing otherwise', 0, missedNow.length, missedNow.map(textOf)),
    finding('slots off their grid otherwise', 0, strayNow.length, strayNow.map(textOf)),
  ]
}

const countsOf = (due: readonly DueSlot[], stored: readonly StoredReading[]): SlotCounts => {
  const counts = none()
  for (const { verdict } of stored) counts[verdict]++
  return { ...counts, due: due.length, measured: stored.length, lost: lostOf(due, stored) }
}

const none = (): SlotCounts => ({
  due: 0,
  measured: 0,
  lost: 0,
  up: 0,
  down: 0,
  blocked: 0,
  unmeasured: 0,
})

/** Compares the agents' journals with stored readings. */
export const judgeStored = ({ readings, journals, listed }: Facts): Finding[] => {
  const ids = readings.map(idOf)
  const unique = new Set(ids)
  const journalled = [...journals.values()].reduce((all, own) => all.union(own), new Set<string>())
  const byTwo = [...journals.values()].reduce((sum, own) => sum + own.size, 0) - journalled.size
  const lost = [...journalled.difference(unique)]
  const invented = [...unique.difference(journalled)]
  const rows = [...Map.groupBy(ids, (id) => id)].flatMap(([id, same]) => (same.length === 1 ? [] : [id]))
  const perSlot = Map.groupBy(scheduled(readings), keyOf)
  const slotsTwice = [...perSlot].flatMap(([slot, own]) => (own.length === 1 ? [] : [slot]))
  const listedWrong = [...listed].flatMap(([check, reported]) => {
    const counted = readings.filter((reading) => reading.check === check).length
    return counted === reported ? [] : [`${check}: ${counted} stored, ${reported} listed`]
  })
  return [
    finding('readings journalled by agents / stored', journalled.size, ids.length),
    finding('readings lost', 0, lost.length, lost),
    finding('readings stored that no agent journalled', 0, invented.length, invented),
    finding('rows stored twice', 0, ids.length - unique.size, rows),
    finding('slots stored twice', 0, slotsTwice.length, slotsTwice),
    finding('slots that two agents measured, of which one is stored', byTwo, ''),
    finding(
      `readings of ${listed.size} checks: stored / listed by the API`,
      readings.filter(({ check }) => listed.has(check)).length,
      [...listed.values()].reduce((sum, count) => sum + count, 0),
      listedWrong,
    ),
  ]
}

const idOf = ({ checkId, region, slot, kind, number }: StoredReading): string =>
  kind === 'scheduled' ? `${checkId}:${region}:${slot}` : `${checkId}:${region}:${slot}:${kind}:${number}`
