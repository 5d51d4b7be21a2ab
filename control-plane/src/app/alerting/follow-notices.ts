import { faultOf, joinNotices, type MeshNotice, type RegionNotice } from '@probe-mesh/contracts/mesh/mesh'

/** A notice that was reported to the operator, with its first region, and its text, as it began. Unix milliseconds. */
export type ReportedNotice = Pick<MeshNotice, 'region' | 'regions' | 'what' | 'text'> & {
  sinceMs: number
  /** Since when it is absent; null while it is present. */
  goneSinceMs: number | null
}

export type NoticeStep = {
  /** The notices to store. */
  reported: ReportedNotice[]
  begun: ReportedNotice[]
  ended: ReportedNotice[]
}

const minuteMs = 60_000
/**
 * How long a notice must last before it is reported. Agents are upgraded one by one, so `version` waits
 * longest.
 */
const reportAfterMs: Readonly<Record<MeshNotice['what'], number>> = {
  quarantine: 0,
  names: minuteMs / 2,
  network: minuteMs / 2,
  clock: minuteMs / 2,
  version: 30 * minuteMs,
}
/**
 * How long a notice must be absent to end: a restarted control plane learns of it in this time, and flapping
 * is one notice.
 */
const endAfterMs = 2 * minuteMs

/**
 * Which notices begin and which end, each once, for all regions together: a region that joins a fault is news on the
 * mesh page only.
 * @param seen the current faults, and the regions whose agents reported: a silent region ends no notice
 */
export const followNotices = (
  before: readonly ReportedNotice[],
  seen: { notices: readonly RegionNotice[]; heard: ReadonlySet<string> },
  nowMs: number,
): NoticeStep => {
  const step: NoticeStep = { reported: [], begun: [], ended: [] }
  const isKnown = new Set(before.map(({ what }) => faultOf[what]))
  const present = Map.groupBy(seen.notices, ({ what }) => faultOf[what])
  for (const notice of before) {
    const next = stay(notice, present.get(faultOf[notice.what]) ?? [], seen.heard, nowMs)
    if (next === null) step.ended.push(notice)
    else step.reported.push(next)
  }
  for (const [fault, of] of present) {
    const isDue = of.some(({ what, since }) => nowMs - Date.parse(since) >= reportAfterMs[what])
    if (isKnown.has(fault) || !isDue) continue
    for (const { region, regions, what, text, since } of joinNotices(of)) {
      step.begun.push({ region, regions, what, text, sinceMs: Date.parse(since), goneSinceMs: null })
    }
  }
  step.reported.push(...step.begun)
  return step
}

/** @returns null when the notice has ended */
const stay = (
  notice: ReportedNotice,
  present: readonly RegionNotice[],
  heard: ReadonlySet<string>,
  nowMs: number,
): ReportedNotice | null => {
  const regions = [...new Set([...notice.regions, ...present.map(({ region }) => region)])]
  // the database knows about a quarantine, also when the region is silent
  const isUnknown = notice.what !== 'quarantine' && regions.some((region) => !heard.has(region))
  if (present.length > 0 || isUnknown) return { ...notice, regions, goneSinceMs: null }
  const goneSinceMs = notice.goneSinceMs ?? nowMs
  return nowMs - goneSinceMs >= endAfterMs ? null : { ...notice, goneSinceMs }
}
