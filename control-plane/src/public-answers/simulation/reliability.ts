/** A prediction with its confidence, and whether it was correct. */
export type Prediction = { confidence: number; isCorrect: boolean }

/** The lower bounds of the confidence ranges. */
const edges = [0, 0.5, 0.8, 0.9, 0.95, 0.98] as const

/** The predictions in one range of confidence. */
type Reliability = {
  from: number
  count: number
  /** NaN without predictions. */
  meanConfidence: number
  correctShare: number
  /** Three standard errors of the share, if the confidence is calibrated. */
  tolerance: number
}

/** The share of correct predictions per range of confidence. Calibrated confidence equals that share. */
export const reliabilityOf = (predictions: readonly Prediction[]): Reliability[] =>
  edges.map((from, index) => {
    const to = edges[index + 1] ?? Infinity
    const own = predictions.filter(({ confidence }) => confidence >= from && confidence < to)
    const meanConfidence = own.reduce((sum, one) => sum + one.confidence, 0) / own.length
    return {
      from,
      count: own.length,
      meanConfidence,
      correctShare: own.filter((one) => one.isCorrect).length / own.length,
      tolerance: 3 * Math.sqrt((meanConfidence * (1 - meanConfidence)) / own.length),
    }
  })

/** A readable table. */
export const reliabilityTable = (predictions: readonly Prediction[]): string =>
  [
    'confidence      count  mean       correct',
    ...reliabilityOf(predictions).map(({ from, count, meanConfidence, correctShare }, index) => {
      const to = edges[index + 1] ?? 1
      const shares = count === 0 ? '' : `${meanConfidence.toFixed(3).padEnd(11)}${correctShare.toFixed(3)}`
      return `${`${from} to ${to}`.padEnd(16)}${String(count).padEnd(7)}${shares}`.trimEnd()
    }),
  ].join('\n')
