/** Message ids seen lately and the sequence each was stored under. Bounded by count and by age. */
export type DedupWindow = {
  find(messageId: string): number | undefined
  add(messageId: string, sequence: number): void
}

export const createDedupWindow = (bounds: {
  countMax: number
  ageMsMax: number
  now: () => number
}): DedupWindow => {
  const seen = new Map<string, { sequence: number; at: number }>()
  const forget = () => {
    const oldest = bounds.now() - bounds.ageMsMax
    for (const [messageId, { at }] of seen) {
      if (at >= oldest && seen.size <= bounds.countMax) return
      seen.delete(messageId)
    }
  }
  return {
    find: (messageId) => {
      forget()
      return seen.get(messageId)?.sequence
    },
    add: (messageId, sequence) => {
      seen.set(messageId, { sequence, at: bounds.now() })
      forget()
    },
  }
}
