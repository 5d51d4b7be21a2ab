import { measureAnswers } from './answers.ts'
import { measureCli } from './cli.ts'
import { measureErrors, measureErrorSearch } from './errors.ts'
import { measureFairness } from './fairness.ts'
import { measureGateway } from './gateway.ts'
import { measureMesh } from './mesh.ts'
import { measureOutage } from './outage.ts'
import { measurePath } from './path.ts'
import { measureProbe } from './probe.ts'
import { measureRules } from './rules.ts'
import type { Bench } from './run-bench.ts'
import { measureScale } from './scale.ts'
import { measureSize } from './size.ts'
import { measureStack } from './stack.ts'
import { measureTerraform } from './terraform.ts'
import { measureWeb } from './web.ts'

/** Every bench, in the order in which all of them run. */
export const benches = new Map<string, Bench>([
  [
    'path',
    {
      about: 'agent lateness and CPU, readings through ingest, GET /checks/:id',
      measure: measurePath,
    },
  ],
  [
    'mesh',
    {
      about: 'agent to store in processes of their own: readings a second, lag, memory, takeover',
      measure: measureMesh,
    },
  ],
  [
    'probe',
    {
      about: 'one http or https check: CPU beside its peers, memory, and what it does to others',
      measure: measureProbe,
    },
  ],
  [
    'answers',
    {
      about: 'is_service_down of 150 and of 5,000 services, also while people report problems',
      measure: measureAnswers,
    },
  ],
  [
    'gateway',
    {
      about: 'listing and calling a tool over MCP, beside a handler by hand and the SDK',
      measure: measureGateway,
    },
  ],
  [
    'cli',
    {
      about: '--version and validate of 1 to 10,000 checks, installed, beside an empty script',
      measure: measureCli,
    },
  ],
  [
    'terraform',
    {
      about: 'plans of 1 to 500 checks with the real Terraform, beside its own terraform_data',
      measure: measureTerraform,
    },
  ],
  [
    'web',
    {
      about: 'the status page in Chromium, the list of 10,000 checks, mixed pages under load',
      measure: measureWeb,
    },
  ],
  [
    'errors',
    {
      about: 'error events accepted and stored, and what a flood of ten times the quota does',
      measure: measureErrors,
    },
  ],
  [
    'search',
    {
      about: 'searches of a million occurrences of 20,000 issues, and the page of one issue',
      measure: measureErrorSearch,
    },
  ],
  [
    'scale',
    {
      about: 'a million checks in ten regions, simulated; 1 where a slot is lost or stored twice',
      measure: measureScale,
    },
  ],
  [
    'size',
    {
      about: 'bytes of a stored reading in ClickHouse, by table and column',
      measure: measureSize,
    },
  ],
  [
    'outage',
    {
      about: 'from the first failing byte to a delivered notification, at an interval of 30 s',
      measure: measureOutage,
    },
  ],
  [
    'stack',
    {
      about: 'what npm start and a mesh of processes take at rest, and with 100 to 10,000 checks',
      measure: measureStack,
    },
  ],
  [
    'fairness',
    {
      about: 'what one account sees while others use all that they are given, beside calm',
      measure: measureFairness,
    },
  ],
  [
    'rules',
    {
      about: 'weather, reports and shared incidents in simulated years; 1 where a limit is broken',
      measure: measureRules,
    },
  ],
])
