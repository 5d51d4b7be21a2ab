// `npm run bench -- [names] [--quick]`: what things cost, figure by figure.
import { parseCommandLine } from './src/command-line.ts'
import { measureAnswers } from './src/answers.ts'
import { measureCli } from './src/cli.ts'
import { deriveScale } from './src/derive.ts'
import { measureErrors, measureErrorSearch } from './src/errors.ts'
import { measureGateway } from './src/gateway.ts'
import { measureMesh } from './src/mesh.ts'
import { measurePath } from './src/path.ts'
import { measureProbe } from './src/probe.ts'
import { measureRules } from './src/rules.ts'
import { runBench } from './src/run-bench.ts'
import type { Bench } from './src/run-bench.ts'
import { measureScale } from './src/scale.ts'
import { measureSize } from './src/size.ts'
import { measureTerraform } from './src/terraform.ts'
import { measureWeb } from './src/web.ts'

const benches = new Map<string, Bench>([
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
    'rules',
    {
      about: 'weather, reports and shared incidents in simulated years; 1 where a limit is broken',
      measure: measureRules,
    },
  ],
  [
    'derive',
    {
      about: 'measures nothing: the tables of docs/scale.md from the newest results of all benches',
      measure: deriveScale,
    },
  ],
])

const say = (line: string): void => console.error(line)

const main = async (): Promise<void> => {
  const about = [...benches].map(([name, bench]) => ({ name, about: bench.about }))
  const command = parseCommandLine(process.argv.slice(2), about)
  if (command.kind === 'help') return console.log(command.text)
  if (command.kind === 'wrong') {
    say(command.problem)
    process.exitCode = 2
    return
  }
  for (const [name, bench] of benches) {
    if (!command.names.includes(name)) continue
    await runBench(name, bench, { quick: command.quick, say, print: console.log })
  }
}

await main()
