import type { MeshNotice } from '@probe-mesh/contracts/mesh/mesh'

/** A notice that its operator was sent a message about. Unix ms. */
export type ToldNotice = Pick<MeshNotice, 'region' | 'what' | 'text'> & {
  sinceMs: number
  /** Since when it was not seen any more; null while it is. */
  goneSinceMs: number | null
}

export type NoticeStep = {
  /** What is remembered from now on. */
  told: ToldNotice[]
  begun: ToldNotice[]
  ended: ToldNotice[]
}

const minuteMs = 60_000
/** For how long each has to last before a message is sent. Agents are brought to a newer build one by one. */
const tellAfterMs: Readonly<Record<MeshNotice['what'], number>> = {
  quarantine: 0,
  names: minuteMs / 2,
  network: minuteMs / 2,
  clock: minuteMs / 2,
  version: 30 * minuteMs,
}
/** So long it has to be gone: who starts anew learns what is so within this time, and what flickers is one notice. */
const overAfterMs = 2 * minuteMs

/**
 * Which notices are to be told to have begun or ended: each once.
 * @param seen what is so now, and of which regions anything could be known: silence ends nothing
 */
export const followNotices = (
  before: readonly ToldNotice[],
  seen: { notices: readonly MeshNotice[]; heard: ReadonlySet<string> },
  nowMs: number,
): NoticeStep => {
  const step: NoticeStep = { told: [], begun: [], ended: [] }
  const now = new Map(seen.notices.map((notice) => [keyOf(notice), notice]))
  const isKnown = new Set(before.map(keyOf))
  for (const notice of before) {
    const next = stay(notice, now.has(keyOf(notice)), seen.heard, nowMs)
    if (next === null) step.ended.push(notice)
    else step.told.push(next)
  }
  for (const [key, { region, what, text, since }] of now) {
    const sinceMs = Date.parse(since)
    if (isKnown.has(key) || nowMs - sinceMs < tellAfterMs[what]) continue
    step.begun.push({ region, what, text, sinceMs, goneSinceMs: null })
  }
  step.told.push(...step.begun)
  return step
}

/** @returns null where it is over */
const stay = (
  notice: ToldNotice,
  isSeen: boolean,
  heard: ReadonlySet<string>,
  nowMs: number,
): ToldNotice | null => {
  // of a quarantine the database knows
  const isUnknown = notice.what !== 'quarantine' && !heard.has(notice.region)
  if (isSeen || isUnknown) return { ...notice, goneSinceMs: null }
  const goneSinceMs = notice.goneSinceMs ?? nowMs
  return nowMs - goneSinceMs >= overAfterMs ? null : { ...notice, goneSinceMs }
}

const keyOf = ({ region, what }: Pick<MeshNotice, 'region' | 'what'>): string => `${region} ${what}`
