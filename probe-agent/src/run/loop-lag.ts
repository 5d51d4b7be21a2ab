/** Knows how long our own event loop was blocked: what is measured meanwhile measures us. */
export type LoopLag = {
  /** The longest block that lasted into the time since an instant of `now`, ms. */
  worstSince(sinceMs: number): number
  close(): void
}

/** A run during which the loop was blocked for longer says nothing about the target. */
export const lagMsMax = 200

const beatMs = 50
/** Blocks that are remembered: more than can happen within the longest run. */
const blocksMax = 256

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
    if (ms <= lagMsMax) return
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
    close: () => clearInterval(timer),
  }
}
