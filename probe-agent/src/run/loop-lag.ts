/** Knows how long our own event loop was blocked: what is measured meanwhile measures us. */
export type LoopLag = {
  /** The longest block that lasted into the time since an instant of `now`, ms. */
  worstSince(sinceMs: number): number
  /** All blocks since an instant of `now` together, ms, without what of them came before it. */
  blockedSince(sinceMs: number): number
  close(): void
}

/** Phases of a run during which the loop was blocked for longer are not the target's. */
export const lagMsMax = 200

const beatMs = 50
/** A beat that is later than this tells of a block, ms. */
const blockMsMin = 50
/** Blocks that are remembered: more than can happen within the longest run. */
const blocksMax = 512

/**
 * A heartbeat timer: a beat that comes late tells of a block, and so does one that is overdue.
 * @param now monotonic ms
 */
export const createLoopLag = (now: () => number = () => performance.now()): LoopLag => {
  const blocks: { endedAt: number; ms: number }[] = []
  let lastBeat = now()
  const lateness = (): number => now() - lastBeat - beatMs
  const timer = setInterval(() => {
    const ms = lateness()
    lastBeat = now()
    if (ms < blockMsMin) return
    blocks.push({ endedAt: lastBeat, ms })
    if (blocks.length > blocksMax) blocks.shift()
  }, beatMs)
  timer.unref()
  return {
    worstSince: (sinceMs) =>
      blocks.reduce(
        (worst, block) => (block.endedAt >= sinceMs ? Math.max(worst, block.ms) : worst),
        Math.max(0, lateness()),
      ),
    blockedSince: (sinceMs) =>
      blocks.reduce(
        (sum, { endedAt, ms }) => sum + Math.max(0, Math.min(ms, endedAt - sinceMs)),
        Math.max(0, Math.min(lateness(), now() - sinceMs)),
      ),
    close: () => clearInterval(timer),
  }
}
