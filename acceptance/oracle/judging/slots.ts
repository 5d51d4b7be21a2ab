import { clock, finding } from './facts.ts'
import type { Facts, Fault, Finding, Revision, SlotCounts, StoredReading } from './facts.ts'

/** A slot that the oracle holds to be due. */
type DueSlot = { check: string; region: string; slot: number }

/**
 * Slots are a grid: where it lies is read from what was stored, and how far it reaches from the
 * revisions. The product's own rule for it is not asked.
 */
export const dueSlots = (facts: Pick<Facts, 'readings' | 'revisions' | 'span'>) => {
  const { readings, revisions, span } = facts
  const stored = Map.groupBy(scheduled(readings), ({ check, region }) => `${check} ${region}`)
  const due: DueSlot[] = []
  const offGrid: string[] = []
  for (const revision of revisions) {
    if (revision.paused) continue
    const fromMs = Math.max(revision.fromMs, span.fromMs)
    const toMs = Math.min(revision.toMs ?? span.toMs, span.toMs)
    for (const region of revision.regions) {
      const { check, intervalMs } = revision
      const own = (stored.get(`${check} ${region}`) ?? []).filter(({ slot }) =>
        isOf(revision, slot),
      )
      const phase = mostCommon(own.map(({ slot }) => slot % intervalMs))
      if (phase === null) {
        if (fromMs < toMs) offGrid.push(`${check} ${region} has no reading at all`)
        continue
      }
      for (const { slot } of own)
        if (slot % intervalMs !== phase) offGrid.push(`${check} ${region} ${clock(slot)}`)
      const first = fromMs + ((((phase - fromMs) % intervalMs) + intervalMs) % intervalMs)
      for (let slot = first; slot < toMs; slot += intervalMs) due.push({ check, region, slot })
    }
  }
  return { due, offGrid }
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

/** How long before and after the death of a region's agents its slots may go unmeasured. */
const aroundMs = { before: 10_000, after: 20_000 }

const isExplained = ({ region, slot }: DueSlot, faults: readonly Fault[]): boolean =>
  faults.some(
    (fault) =>
      fault.region === region &&
      fault.fromMs - aroundMs.before <= slot &&
      slot <= fault.toMs + aroundMs.after,
  )

const members = ['due', 'measured', 'lost', 'up', 'down', 'blocked', 'unmeasured'] as const

/** What was due against what is stored and what `series` says of it. */
export const judgeSlots = (facts: Facts): Finding[] => {
  const { readings, series, faults, span } = facts
  const { due, offGrid } = dueSlots(facts)
  const stored = new Map(
    scheduled(readings)
      .filter(({ slot }) => span.fromMs <= slot && slot < span.toMs)
      .map((reading) => [keyOf(reading), reading]),
  )
  const missing = due.filter((slot) => !stored.has(keyOf(slot)))
  const own = new Map<string, SlotCounts>([...series.keys()].map((check) => [check, none()]))
  const add = (check: string, member: keyof SlotCounts): void => {
    const counts = own.get(check)
    if (counts !== undefined) counts[member]++
  }
  for (const { check } of due) add(check, 'due')
  for (const { check } of missing) add(check, 'lost')
  for (const { check, verdict } of stored.values()) {
    add(check, 'measured')
    add(check, verdict)
  }
  const unexplained = missing.filter((slot) => !isExplained(slot, faults))
  const perRegion = [...Map.groupBy(missing, ({ region }) => region)]
  const sum = (counts: ReadonlyMap<string, SlotCounts>, member: keyof SlotCounts): number =>
    [...counts.values()].reduce((total, one) => total + one[member], 0)
  return [
    finding('slots off their grid', 0, offGrid.length, offGrid),
    ...members.map((member) =>
      finding(
        `slots ${member}: counted / \`series\` of every check`,
        sum(own, member),
        sum(series, member),
        [...series].flatMap(([check, said]) => {
          const counted = own.get(check)?.[member]
          return counted === said[member] ? [] : [`${check}: ${counted}, series ${said[member]}`]
        }),
      ),
    ),
    finding(
      'slots missing while agents of their region were dead or standing still',
      missing.length - unexplained.length,
      perRegion.map(([region, slots]) => `${slots.length} ${region}`).join(', '),
    ),
    finding(
      'slots missing otherwise',
      0,
      unexplained.length,
      unexplained.map(({ check, region, slot }) => `${check} ${region} ${clock(slot)}`),
    ),
  ]
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

/** What the agents journalled against what is stored. */
export const judgeStored = ({ readings, journals, listed }: Facts): Finding[] => {
  const ids = readings.map(idOf)
  const unique = new Set(ids)
  const journalled = [...journals.values()].reduce((all, own) => all.union(own), new Set<string>())
  const byTwo = [...journals.values()].reduce((sum, own) => sum + own.size, 0) - journalled.size
  const lost = [...journalled.difference(unique)]
  const invented = [...unique.difference(journalled)]
  const rows = [...Map.groupBy(ids, (id) => id)].flatMap(([id, same]) =>
    same.length === 1 ? [] : [id],
  )
  const perSlot = Map.groupBy(scheduled(readings), keyOf)
  const slotsTwice = [...perSlot].flatMap(([slot, own]) => (own.length === 1 ? [] : [slot]))
  const listedWrong = [...listed].flatMap(([check, said]) => {
    const counted = readings.filter((reading) => reading.check === check).length
    return counted === said ? [] : [`${check}: ${counted} stored, ${said} listed`]
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
  kind === 'scheduled'
    ? `${checkId}:${region}:${slot}`
    : `${checkId}:${region}:${slot}:${kind}:${number}`
