/** Judged probes of one minute of a series. */
export type MinuteCounts = { up: number; down: number }

/**
 * The recommended alerts of the SRE workbook, chapter 5, "Multiwindow, Multi-Burn-Rate Alerts": which share of the error
 * budget of 30 days is spent in the long window. The short window is a twelfth of it. Written from that text and
 * S-3712, in whole numbers and without a burn rate, as an independent model of the product. Less than half a window is
 * not known.
 */
const table = [
  { pair: '1h', longMinutes: 60, shortMinutes: 5, percentSpent: 2, stepMinutes: [1, 1] },
  { pair: '6h', longMinutes: 360, shortMinutes: 30, percentSpent: 5, stepMinutes: [1, 1] },
  { pair: '3d', longMinutes: 4_320, shortMinutes: 360, percentSpent: 10, stepMinutes: [60, 1] },
] as const

const budgetMinutes = 30 * 24 * 60

type Seen = 'spends' | 'slow' | 'unknown'

/** What receivers should learn: each pair that begins or ends, with the minute of the judgement. */
export type ExpectedAlert = { pair: string; event: 'alert' | 'recovery'; minute: number }

/**
 * @param countsAt of a minute since the Unix epoch, or of one before it
 * @param allowedPercent of probes that may fail
 * @param everyMinutes how often a probe is due
 */
export const workbookAlerts = (
  countsAt: (minute: number) => MinuteCounts,
  allowedPercent: number,
  judgedAtMinutes: readonly number[],
  everyMinutes = 1,
): ExpectedAlert[] => {
  const open = new Set<string>()
  return judgedAtMinutes.flatMap((now) =>
    table.flatMap(({ pair, longMinutes, shortMinutes, percentSpent, stepMinutes }): ExpectedAlert[] => {
      const spends = (minutes: number, step: number): Seen => {
        // whole steps, with the current one
        const from = Math.floor(now / step) * step - minutes
        let [up, down, probed] = [0, 0, 0]
        for (let minute = from; minute <= now; minute++) {
          const counts = countsAt(minute)
          up += counts.up
          down += counts.down
          if (counts.up + counts.down > 0) probed += everyMinutes
        }
        // judged in the middle of a minute
        if (up + down === 0 || probed * 2 < now + 0.5 - from) return 'unknown'
        // failed share of the window / allowed share * window / 30 days >= share of the budget
        const spent = down * longMinutes * 100 * 100
        return spent >= percentSpent * (up + down) * allowedPercent * budgetMinutes ? 'spends' : 'slow'
      }
      const both = [spends(longMinutes, stepMinutes[0]), spends(shortMinutes, stepMinutes[1])]
      if (both.every((each) => each === 'spends') && !open.has(pair)) {
        open.add(pair)
        return [{ pair, event: 'alert', minute: now }]
      }
      if (both.includes('slow') && open.delete(pair)) return [{ pair, event: 'recovery', minute: now }]
      return []
    }),
  )
}
