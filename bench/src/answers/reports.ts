import type { Stores } from '@probe-mesh/infra/start/stores/stores'
import { withFolder } from '../folder.ts'
import type { BenchContext } from '../run-bench.ts'
import type { Run } from '../served-load.ts'
import { median } from '../statistics.ts'
import { startApp, startLoad } from './servers.ts'

const services = 5_000
const reportsPerMinute = 50_000

type Pair = { calm: Run; reported: Run; sent: number; reportP99Ms: number }

/**
 * The same questions while people report problems, each from another address: "50,000 reports in a
 * minute neither slow answers nor change a status".
 */
export const measureReports = (context: BenchContext & { stores: Stores }): Promise<void> =>
  withFolder(async (folder) => {
    const { stores, quick, say } = context
    const [load, reporters] = [startLoad(), startLoad()]
    const server = await startApp({ stores, folder, services, addressesAreNamed: true })
    try {
      const seconds = quick ? 1 : 6
      say('reports: warming up')
      await load.ask(server, seconds)
      const pairs: Pair[] = []
      for (let n = 1; n <= (quick ? 2 : 6); n++) {
        say(`reports, pair ${n}`)
        const calm = await load.ask(server, seconds)
        const [reported, sent] = await Promise.all([
          load.ask(server, seconds),
          reporters.report(server, reportsPerMinute, seconds),
        ])
        const perMinute = (sent.requests / sent.seconds) * 60
        pairs.push({ calm, reported, sent: perMinute, reportP99Ms: sent.latencyP99Ms })
      }
      report(context, pairs)
    } finally {
      await Promise.all([load.close(), reporters.close(), server.child.close()])
    }
  })

const report = ({ report }: BenchContext, pairs: readonly Pair[]): void => {
  const sent = pairs.map((pair) => pair.sent)
  report({
    figure: 'reports_taken_per_minute',
    value: median(sent),
    unit: 'reports/min',
    aim: { atLeast: reportsPerMinute * 0.98 },
    context: { runs: sent, latencyP99Ms: median(pairs.map((pair) => pair.reportP99Ms)) },
  })
  const speeds = pairs.map(({ reported }) => reported.requestsPerSecond)
  report({
    figure: 'status_while_reported_requests_per_second',
    value: median(speeds),
    unit: 'requests/s',
    context: { runs: speeds, calm: median(pairs.map(({ calm }) => calm.requestsPerSecond)) },
  })
  const latencies = pairs.map(({ reported }) => reported.latencyP99Ms)
  report({
    figure: 'status_while_reported_latency_p99',
    value: median(latencies),
    unit: 'ms',
    context: { runs: latencies, calm: median(pairs.map(({ calm }) => calm.latencyP99Ms)) },
  })
  const ratios = pairs.map(
    ({ calm, reported }) => reported.requestsPerSecond / calm.requestsPerSecond,
  )
  report({
    figure: 'status_while_reported_to_calm',
    value: median(ratios),
    unit: 'ratio',
    context: { runs: ratios },
  })
}
