import type { Region } from './regions.ts'

// Slots are computed, never stored: `phase + k * interval`. The phase comes from a hash, so that checks spread over
// the interval and keep their slots after a restart. All times are Unix milliseconds.

/** The phase of a check in a region, in [0, intervalMs), independent of its other regions. */
export const slotPhase = (checkId: string, region: Region, intervalMs: number): number =>
  Math.floor((hash32(`${checkId}:${region}`) / 2 ** 32) * intervalMs)

/** The fields that define the slots of a revision. */
type Slotting = {
  regions: readonly Region[]
  intervalSeconds: number
  /** Whether its regions are spread evenly over the interval. Absent means no: each uses its `slotPhase`. */
  isSpread?: boolean
}

/** The phase of a check in one of the regions of a revision, in [0, interval) (S-701, S-702). */
export const revisionPhase = (
  checkId: string,
  region: Region,
  { regions, intervalSeconds, isSpread }: Slotting,
): number => {
  const intervalMs = intervalSeconds * 1000
  if (isSpread !== true) return slotPhase(checkId, region, intervalMs)
  const sorted = [...new Set(regions)].toSorted()
  const base = hash32(checkId) / 2 ** 32
  return Math.floor(((base + sorted.indexOf(region) / sorted.length) % 1) * intervalMs)
}

/** The first slot at or after `fromMs`. */
export const nextSlot = (phaseMs: number, intervalMs: number, fromMs: number): number =>
  phaseMs + Math.ceil((fromMs - phaseMs) / intervalMs) * intervalMs

/** Whether an instant is one of the slots. */
export const isSlot = (phaseMs: number, intervalMs: number, atMs: number): boolean =>
  (atMs - phaseMs) % intervalMs === 0

/** The number of slots in [fromMs, toMs). */
export const slotCount = (phaseMs: number, intervalMs: number, fromMs: number, toMs: number): number =>
  toMs <= fromMs ? 0 : Math.ceil((toMs - phaseMs) / intervalMs) - Math.ceil((fromMs - phaseMs) / intervalMs)

/** One row of `check_revisions`: the slots in [validFrom, validTo). */
export type Revision = Slotting & {
  validFromMs: number
  /** null while it is the current one */
  validToMs: number | null
  paused: boolean
}

/** The part of a revision's validity in [fromMs, toMs), or null. */
const validWithin = (
  revision: Revision,
  fromMs: number,
  toMs: number,
): { fromMs: number; toMs: number } | null => {
  const from = Math.max(fromMs, revision.validFromMs)
  const to = Math.min(toMs, revision.validToMs ?? Number.POSITIVE_INFINITY)
  return from < to ? { fromMs: from, toMs: to } : null
}

/** The number of expected slots of one region in [from, to), for the ledger (S-703). */
export const slotsDueCount = (
  checkId: string,
  region: Region,
  revisions: readonly Revision[],
  fromMs: number,
  toMs: number,
): number => slotsDueCounts(checkId, region, revisions, [fromMs, toMs])[0] ?? 0

/** The same for each step between two neighbours of `edges`, in order. */
export const slotsDueCounts = (
  checkId: string,
  region: Region,
  revisions: readonly Revision[],
  edges: readonly number[],
): number[] => {
  const counts = edges.slice(1).map(() => 0)
  for (const revision of revisions) {
    const valid = validWithin(revision, edges[0] ?? 0, edges.at(-1) ?? 0)
    if (valid === null || revision.paused || !revision.regions.includes(region)) continue
    const intervalMs = revision.intervalSeconds * 1000
    const phase = revisionPhase(checkId, region, revision)
    for (const [index, due] of counts.entries()) {
      const from = Math.max(valid.fromMs, edges[index] ?? 0)
      const to = Math.min(valid.toMs, edges[index + 1] ?? 0)
      counts[index] = due + slotCount(phase, intervalMs, from, to)
    }
  }
  return counts
}

/** The expected slots in order, for audits and tests. `slotsDueCount` is O(revisions). */
export const slotsDue = (
  checkId: string,
  region: Region,
  revisions: readonly Revision[],
  fromMs: number,
  toMs: number,
): number[] =>
  revisions.flatMap((revision) => {
    const valid = validWithin(revision, fromMs, toMs)
    if (valid === null || revision.paused || !revision.regions.includes(region)) return []
    const intervalMs = revision.intervalSeconds * 1000
    const first = nextSlot(revisionPhase(checkId, region, revision), intervalMs, valid.fromMs)
    const count = Math.max(0, Math.ceil((valid.toMs - first) / intervalMs))
    return Array.from({ length: count }, (_, k) => first + k * intervalMs)
  })

/**
 * FNV-1a over UTF-16 units, then murmur3's 32-bit finaliser. FNV alone mixes the high bits, which become the phase,
 * poorly for ids that differ only at their end.
 */
export const hash32 = (text: string): number => {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
