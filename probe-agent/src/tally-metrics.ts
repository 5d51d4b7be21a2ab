import { latenessWindowMs, lateRunMs, type AgentReport } from '@probe-mesh/contracts/agent/agent-report'
import type { AgentMetrics, DropCause } from './run/agent-metrics.ts'

/** Step of the moving window: few numbers represent any number of runs. */
const stepMs = latenessWindowMs / 6

type Step = { index: number; begun: number; late: number; lateMsMax: number }

/**
 * Also counts the metrics that the agent reports itself: late runs of the last minutes, and
 * readings dropped since the start.
 * @param monotonic ms
 */
export const tallyMetrics = (metrics: AgentMetrics, monotonic: () => number = () => performance.now()) => {
  const dropped: Record<DropCause, number> = {
    spool_full: 0,
    spool_old: 0,
    spool_damaged: 0,
    disk: 0,
  }
  let steps: Step[] = []
  const stepNow = (): number => Math.floor(monotonic() / stepMs)
  const newest = (): Step => {
    const index = stepNow()
    const last = steps.at(-1)
    if (last?.index === index) return last
    const step = { index, begun: 0, late: 0, lateMsMax: 0 }
    steps = [...steps.filter((one) => one.index > index - 6), step]
    return step
  }

  return {
    metrics: {
      ...metrics,
      started: (lateMs: number) => {
        const step = newest()
        step.begun++
        if (lateMs > lateRunMs) step.late++
        step.lateMsMax = Math.max(step.lateMsMax, lateMs)
        metrics.started(lateMs)
      },
      dropped: (cause: DropCause, count: number) => {
        dropped[cause] += count
        metrics.dropped(cause, count)
      },
    } satisfies AgentMetrics,
    /**
     * @param nowMs of the wall clock
     */
    report: (
      nowMs: number,
      spool: { readings: number; bytes: number },
      ownFault: AgentReport['ownFault'] = null,
    ): AgentReport => {
      const recent = steps.filter(({ index }) => index > stepNow() - 6)
      return {
        at: Math.round(nowMs),
        spool: { readings: spool.readings, bytes: spool.bytes },
        dropped: {
          full: dropped.spool_full,
          old: dropped.spool_old,
          damaged: dropped.spool_damaged,
          disk: dropped.disk,
        },
        runs: {
          begun: recent.reduce((sum, step) => sum + step.begun, 0),
          late: recent.reduce((sum, step) => sum + step.late, 0),
          lateMsMax: Math.round(Math.max(0, ...recent.map((step) => step.lateMsMax))),
        },
        // omitted when everything works: the announcement is written every two seconds
        ...(ownFault ? { ownFault } : {}),
      }
    },
  }
}
