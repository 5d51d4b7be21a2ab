import { Counter, Gauge, type Histogram, type Registry } from 'prom-client'

/**
 * Creates metrics in a registry from a name, a help text and the names of the labels.
 * @param prefix of the names, such as `probe_mesh_agent_`
 */
export const createMetrics = (registry: Registry, prefix = '') => {
  const registers = [registry]
  return {
    counter: <Label extends string = never>(name: string, help: string, ...labelNames: Label[]) =>
      new Counter({ name: prefix + name, help, labelNames, registers }),
    gauge: <Label extends string = never>(name: string, help: string, ...labelNames: Label[]) =>
      new Gauge({ name: prefix + name, help, labelNames, registers }),
    /** A counter whose total is read when the metrics are collected. */
    readTotal: (name: string, help: string, total: () => number): Counter => {
      const counter: Counter = new Counter({
        name: prefix + name,
        help,
        registers,
        collect: () => {
          counter.reset()
          counter.inc(total())
        },
      })
      return counter
    },
    /** A gauge whose value is read when the metrics are collected. */
    readGauge: (name: string, help: string, value: () => number): Gauge => {
      const gauge: Gauge = new Gauge({
        name: prefix + name,
        help,
        registers,
        collect: () => gauge.set(value()),
      })
      return gauge
    },
  }
}

/**
 * A histogram for what every request is counted in: an observation of prom-client costs ten times as much as this
 * one.
 * @param buckets their upper bounds, ascending
 * @returns the observer of one value of the label, to be kept
 */
export const cheapHistogram = <Label extends string>(
  registry: Registry,
  given: { name: string; help: string; label: Label; buckets: readonly number[] },
): ((of: string) => (value: number) => void) => {
  const { name, help, label, buckets } = given
  const bounds = [...buckets, Infinity]
  const all = new Map<string, { counts: Float64Array; sum: number }>()
  const valuesOf = ([of, { counts, sum }]: [string, { counts: Float64Array; sum: number }]) => {
    const labels = { [label]: of } as Record<Label, string>
    let count = 0
    const upTo = bounds.map((bound, at) => {
      count += counts[at] ?? 0
      const le = bound === Infinity ? '+Inf' : bound
      return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count }
    })
    if (count === 0) return []
    const total = { metricName: `${name}_sum`, labels, value: sum }
    return [...upTo, total, { metricName: `${name}_count`, labels, value: count }]
  }
  const metric = {
    name,
    help,
    type: 'histogram',
    aggregator: 'sum',
    reset: () => all.clear(),
    get: async () => {
      return { name, help, type: 'histogram', aggregator: 'sum', values: [...all].flatMap(valuesOf) }
    },
  }
  // what a registry needs of a metric, which its type does not say
  registry.registerMetric(metric as unknown as Histogram)
  return (of) => {
    const own = all.get(of) ?? { counts: new Float64Array(bounds.length), sum: 0 }
    all.set(of, own)
    const { counts } = own
    return (value) => {
      let at = 0
      while (value > (bounds[at] ?? Infinity)) at += 1
      counts[at] = (counts[at] ?? 0) + 1
      own.sum += value
    }
  }
}
