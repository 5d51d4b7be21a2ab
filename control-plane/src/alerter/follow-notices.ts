import type { MeshNotice } from '@probe-mesh/contracts/mesh/mesh'

/** A notice that was reported to the operator. Unix milliseconds. */
export type ReportedNotice = Pick<MeshNotice, 'region' | 'what' | 'text'> & {
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
 * Which notices begin and which end, each once.
 * @param seen the current notices, and the regions whose agents reported: a silent region ends no notice
 */
export const followNotices = (
  before: readonly ReportedNotice[],
  seen: { notices: readonly MeshNotice[]; heard: ReadonlySet<string> },
  nowMs: number,
): NoticeStep => {
  const step: NoticeStep = { reported: [], begun: [], ended: [] }
  const now = new Map(seen.notices.map((notice) => [keyOf(notice), notice]))
  const isKnown = new Set(before.map(keyOf))
  for (const notice of before) {
    const next = stay(notice, now.has(keyOf(notice)), seen.heard, nowMs)
    if (next === null) step.ended.push(notice)
    else step.reported.push(next)
  }
  for (const [key, { region, what, text, since }] of now) {
    const sinceMs = Date.parse(since)
    if (isKnown.has(key) || nowMs - sinceMs < reportAfterMs[what]) continue
    step.begun.push({ region, what, text, sinceMs, goneSinceMs: null })
  }
  step.reported.push(...step.begun)
  return step
}

/** @returns null when the notice has ended */
const stay = (
  notice: ReportedNotice,
  isSeen: boolean,
  heard: ReadonlySet<string>,
  nowMs: number,
): ReportedNotice | null => {
  // the database knows about a quarantine, also when the region is silent
  const isUnknown = notice.what !== 'quarantine' && !heard.has(notice.region)
  if (isSeen || isUnknown) return { ...notice, goneSinceMs: null }
  const goneSinceMs = notice.goneSinceMs ?? nowMs
  return nowMs - goneSinceMs >= endAfterMs ? null : { ...notice, goneSinceMs }
}

const keyOf = ({ region, what }: Pick<MeshNotice, 'region' | 'what'>): string => `${region} ${what}`
