import { checkFamilies } from '../account-metrics/check-metrics.ts'
import { readAccountFigures } from '../account-metrics/account-metrics.ts'
import { readLabels, type Family } from '../account-metrics/metric-text.ts'
import { objectiveFamilies } from '../account-metrics/objective-metrics.ts'
import type { ObjectiveContext } from '../objectives/objective-states.ts'
import { attributesOf, nanosOf, type Gauge } from './otlp.ts'
import { failureIn, type PushResult, type SendPart } from './push-result.ts'

/** Series in one request: about 1 MB before it is compressed. */
const seriesPerRequest = 2_000
const subjectsPerPart = 50

/** Sends the metrics of `GET /v1/metrics` as they are now. One that fails is not repeated: the next has newer values. */
export const pushMetrics = async (
  context: ObjectiveContext,
  accountId: string,
  send: SendPart,
): Promise<PushResult> => {
  const result: PushResult = { sent: 0, refused: 0, dropped: 0, warning: null, failure: null }
  const { figures, objectives } = await readAccountFigures(context, accountId)
  const atMs = context.now()
  const parts = function* () {
    yield* gaugesOf(checkFamilies, figures, atMs)
    yield* gaugesOf(objectiveFamilies, objectives, atMs)
  }
  for (const { gauges, series } of batches(parts())) {
    const sent = await send({ signal: 'metrics', gauges })
    const failure = failureIn(sent, series)
    if (sent.kind === 'failed') return { ...result, failure }
    const refused = sent.kind === 'wrong' ? series : Math.min(series, sent.refused)
    result.sent += series - refused
    result.refused += refused
    result.warning = sent.detail ?? result.warning
    result.failure = failure ?? result.failure
    if (failure?.waits === true) return result
  }
  return result
}

/** The series of families as gauges, each in parts. */
function* gaugesOf<Subject>(
  families: readonly Family<Subject>[],
  subjects: readonly Subject[],
  atMs: number,
): Generator<Gauge> {
  const timeUnixNano = nanosOf(atMs)
  for (const { name, help, samples } of families) {
    const unit = name.endsWith('_seconds') ? { unit: 's' } : {}
    for (let at = 0; at < subjects.length; at += subjectsPerPart) {
      const dataPoints = subjects.slice(at, at + subjectsPerPart).flatMap((subject) =>
        samples(subject).map(({ labels, value }) => ({
          attributes: attributesOf(readLabels(labels)),
          timeUnixNano,
          asDouble: value,
        })),
      )
      if (dataPoints.length > 0) yield { name, description: help, ...unit, gauge: { dataPoints } }
    }
  }
}

function* batches(parts: Iterable<Gauge>): Generator<{ gauges: Gauge[]; series: number }> {
  let gauges: Gauge[] = []
  let series = 0
  for (const part of parts) {
    const last = gauges.at(-1)
    // a metric is in a request once
    if (last?.name === part.name) last.gauge.dataPoints.push(...part.gauge.dataPoints)
    else gauges.push(part)
    series += part.gauge.dataPoints.length
    if (series < seriesPerRequest) continue
    yield { gauges, series }
    ;[gauges, series] = [[], 0]
  }
  if (series > 0) yield { gauges, series }
}
