import { Counter, Gauge, type Registry } from 'prom-client'

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
