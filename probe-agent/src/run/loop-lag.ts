/** Measures how long the event loop was blocked: timings during a block are not the target's. */
export type LoopLag = {
  /** The longest block that ended after an instant of `now`, ms. */
  worstSince(sinceMs: number): number
  /** Total blocked time since an instant of `now`, ms. */
  blockedSince(sinceMs: number): number
  close(): void
}

/** After a longer block during a run its phases are not the target's. */
export const lagMsMax = 200

const beatMs = 50
/** A beat that is later than this proves a block, ms. */
const blockMsMin = 50
/** Blocks in memory: more than fit into the longest run. */
const blocksMax = 512

/**
 * A heartbeat timer: a late or overdue beat proves a block.
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
    worstSince: (sinceMs) => {
      let worst = Math.max(0, lateness())
      // the last ones first: few ended so late
      for (let at = blocks.length - 1; at >= 0; at--) {
        const block = blocks[at]
        if (block === undefined || block.endedAt < sinceMs) break
        worst = Math.max(worst, block.ms)
      }
      return worst
    },
    blockedSince: (sinceMs) =>
      blocks.reduce(
        (sum, { endedAt, ms }) => sum + Math.max(0, Math.min(ms, endedAt - sinceMs)),
        Math.max(0, Math.min(lateness(), now() - sinceMs)),
      ),
    close: () => clearInterval(timer),
  }
}
