import { measureAnswers } from './answers.ts'
import { measureCli } from './cli.ts'
import { measureErrors } from './errors/accept.ts'
import { measureErrorSearch } from './errors/search.ts'
import { measureFairness } from './fairness.ts'
import { measureGateway } from './gateway.ts'
import { measureLists } from './lists.ts'
import { measureMesh } from './mesh.ts'
import { measureOutage } from './outage.ts'
import { measurePath } from './path.ts'
import { measureProbe } from './probe.ts'
import { measureReads } from './reads.ts'
import { measureRestarts } from './restarts.ts'
import { measureRules } from './rules.ts'
import { measureSize } from './size.ts'
import { measureStack } from './stack/stack.ts'
import { measureTerraform } from './terraform.ts'
import { measureWeb } from './web.ts'
import type { BenchContext } from './harness/run-bench.ts'

export type Bench = {
  name: string
  /** One line for `--help`. */
  about: string
  measure: (context: BenchContext) => Promise<void>
}

/** Every bench, in the order in which all of them run. */
export const benches: readonly Bench[] = [
  {
    name: 'path',
    about: 'agent lateness and CPU, readings through ingest, GET /checks/:id',
    measure: measurePath,
  },
  {
    name: 'mesh',
    about: 'agent to store through NATS: readings per second, lag, memory, takeover',
    measure: measureMesh,
  },
  {
    name: 'restarts',
    about: 'nats-server with 10,000 and 20,000 checks after each of ten restarts of a control plane',
    measure: measureRestarts,
  },
  {
    name: 'probe',
    about: 'one http or https check: CPU beside other probers, memory, fidelity',
    measure: measureProbe,
  },
  {
    name: 'answers',
    about: 'is_service_down with 50 to 5,000 services',
    measure: measureAnswers,
  },
  {
    name: 'gateway',
    about: 'tools/list and tools/call over MCP, beside a hand-written handler and the SDK',
    measure: measureGateway,
  },
  {
    name: 'cli',
    about: '--version and validate of 1 to 10,000 checks, beside an empty script',
    measure: measureCli,
  },
  {
    name: 'terraform',
    about: 'plans of 1 to 500 checks, beside terraform_data',
    measure: measureTerraform,
  },
  {
    name: 'web',
    about: 'the status page in Chromium, the list of 10,000 checks, pages under load',
    measure: measureWeb,
  },
  {
    name: 'lists',
    about: 'what the dashboard reads of 10,000 checks: rows with state, outages, overview, counts',
    measure: measureLists,
  },
  {
    name: 'errors',
    about: 'error events accepted per second, beside parsing them alone',
    measure: measureErrors,
  },
  {
    name: 'search',
    about: 'searches of a million error occurrences, and the page of one issue',
    measure: measureErrorSearch,
  },
  {
    name: 'size',
    about: 'bytes of a stored reading in ClickHouse',
    measure: measureSize,
  },
  {
    name: 'outage',
    about: 'from the first failing byte to a delivered notification',
    measure: measureOutage,
  },
  {
    name: 'stack',
    about: 'memory of npm start and of a mesh of processes with up to 10,000 checks',
    measure: measureStack,
  },
  {
    name: 'fairness',
    about: 'delays of one account while others attack, beside calm',
    measure: measureFairness,
  },
  {
    name: 'reads',
    about: 'reads of one account while three others use the whole product, beside calm',
    measure: measureReads,
  },
  {
    name: 'rules',
    about: 'false alarms and delays of the outage rules; 1 where a limit is broken',
    measure: measureRules,
  },
]
