/** How fast a receiver is told things. Times are Unix milliseconds. */
export type Gathering = {
  /** Since when messages wait, and when they are sent; null: none wait. */
  openedAtMs: number | null
  sendAtMs: number | null
  /** How many messages it was told since then: the velocity limit. */
  toldSinceMs: number
  told: number
}

export const newGathering: Gathering = {
  openedAtMs: null,
  sendAtMs: null,
  toldSinceMs: 0,
  told: 0,
}

/** A message waits this long for others to come, and as long again for each that does. */
const gatherMs = 2_000
const gatherMsMax = 15_000
/** More messages than this to one receiver in `paceMs` are told as one, but for some that come alone. */
export const messagesPerPaceMax = 5
export const alonePerPaceMax = 5
const paceMs = 60_000

/**
 * A message was added. One alone is told after `gatherMs`, in a storm as well; of several there is one
 * digest a minute then (S-1906).
 */
export const gather = (gathering: Gathering, nowMs: number): Gathering => {
  const openedAtMs = gathering.openedAtMs ?? nowMs
  const isAlone = gathering.openedAtMs === null && mayBeAlone(gathering)
  const sendAtMs =
    isFull(gathering, nowMs) && !isAlone
      ? Math.max(nowMs + gatherMs, gathering.toldSinceMs + paceMs)
      : Math.max(gathering.sendAtMs ?? 0, Math.min(openedAtMs + gatherMsMax, nowMs + gatherMs))
  return { ...gathering, openedAtMs, sendAtMs }
}

/** The waiting messages are sent: as a digest when they are more than may still be told singly. */
export const release = (
  gathering: Gathering,
  count: number,
  nowMs: number,
): { gathering: Gathering; asDigest: boolean } => {
  const isNewPace = nowMs - gathering.toldSinceMs >= paceMs
  const told = isNewPace ? 0 : gathering.told
  const asDigest = count > 1 && told + count > messagesPerPaceMax
  return {
    asDigest,
    gathering: {
      openedAtMs: null,
      sendAtMs: null,
      toldSinceMs: isNewPace ? nowMs : gathering.toldSinceMs,
      told: asDigest ? Math.max(messagesPerPaceMax, told + 1) : told + count,
    },
  }
}

const mayBeAlone = ({ told }: Gathering): boolean => told < messagesPerPaceMax + alonePerPaceMax

const isFull = ({ told, toldSinceMs }: Gathering, nowMs: number): boolean =>
  told >= messagesPerPaceMax && nowMs - toldSinceMs < paceMs
