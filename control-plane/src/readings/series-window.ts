import { limits } from '@probe-mesh/contracts/schema/limits'
import type { FieldProblem } from '@probe-mesh/contracts/schema/refusal'

export type SeriesWindow = { fromMs: number; toMs: number; stepSeconds: number }

const defaultSpanMs = 86_400_000
/** Steps chosen from when none is asked for: the finest that makes at most `defaultPointsMax`. */
const defaultSteps = [60, 300, 900, 3_600, 21_600, 86_400]
const defaultPointsMax = 300

/**
 * The window of a series: the last day where nothing is said, cut at whole steps of UTC so that the
 * same step always holds the same readings. Pure.
 */
export const seriesWindow = (
  asked: { from?: number | undefined; to?: number | undefined; step?: number | undefined },
  nowMs: number,
): SeriesWindow | { problems: FieldProblem[] } => {
  const to = asked.to ?? nowMs
  const from = asked.from ?? to - defaultSpanMs
  const problems: FieldProblem[] = []
  if (from >= to) problems.push({ path: 'from', message: 'must be before to' })
  if (asked.step !== undefined && asked.step % limits.seriesStepSecondsMin !== 0) {
    const message = `must be a multiple of ${limits.seriesStepSecondsMin} seconds`
    problems.push({ path: 'step', message })
  }
  const stepSeconds = asked.step ?? finestStep(to - from)
  const stepMs = stepSeconds * 1000
  const fromMs = Math.floor(from / stepMs) * stepMs
  const toMs = Math.ceil(to / stepMs) * stepMs
  if (from < to && (toMs - fromMs) / stepMs > limits.seriesPointsMax) {
    const message = `makes more than ${limits.seriesPointsMax} points; take a longer step or less time`
    problems.push({ path: 'step', message })
  }
  return problems.length > 0 ? { problems } : { fromMs, toMs, stepSeconds }
}

const finestStep = (spanMs: number): number =>
  defaultSteps.find((step) => spanMs / (step * 1000) <= defaultPointsMax) ?? 86_400
