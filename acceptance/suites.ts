/** Tests that `npm test` leaves out or shortens, and `npm run acceptance` runs in full. */
export type Suite = {
  /** Selects the suite: `npm run acceptance -- <name>`, `npm test -- <name>`. */
  name: string
  /** The files that `npm test` leaves out; none: it shortens those of the folder `name`. */
  files: readonly string[]
  /** The guarantee, and why `npm test` leaves it out. */
  about: string
  /** Variables of a run in full, which takes too long for each change. */
  inFull?: Readonly<Record<string, string>>
  /** The program that runs the suite instead of Vitest, with the flags of the command. */
  program?: string
}

/** A test of `npm test`. */
export type StandIn = { file: string; title: string }

const suite = (name: string, about: string, ...files: string[]): Suite => ({ name, about, files })
const titled = (file: string, title: string): StandIn => ({ file, title })
const smoke = (title: string): StandIn => titled('acceptance/smoke.test.ts', title)

/**
 * Suites for each change: `npm run acceptance -- each-change` runs them together in a few minutes. `standIn`
 * covers the same way once in `npm test`.
 */
export const suitesOfEachChange: readonly (Suite & { standIn: StandIn })[] = [
  {
    ...suite(
      'processes',
      'every process refuses wrong settings, waits for its servers, and stops; starts dozens of them',
      'infra/start/all-in-one/private-files.test.ts',
      'infra/start/processes/agent-admission.test.ts',
      'infra/start/processes/agent.test.ts',
      'infra/start/processes/control-plane.test.ts',
      'infra/start/processes/mcp-gateway.test.ts',
      'infra/start/processes/start-chromium.test.ts',
      'infra/start/processes/until-available.test.ts',
    ),
    standIn: smoke('a new data directory starts and is ready'),
  },
  {
    ...suite(
      'stores',
      'databases of one process and of a cluster survive kills and refuse those of others; starts servers',
      'control-plane/src/mesh/identity/prepare-stores.test.ts',
      'control-plane/src/stores/clickhouse/cluster.test.ts',
      'infra/start/embedded/postgres/start.test.ts',
      'infra/start/stores/stores.test.ts',
    ),
    standIn: smoke('a new data directory starts and is ready'),
  },
  {
    ...suite(
      'path',
      'a reading from the target to its answer, in one process and in several; needs both cores',
      'acceptance/mesh/path.test.ts',
    ),
    standIn: smoke('a check by HTTP becomes operational, then down, with its readings stored'),
  },
  {
    ...suite(
      'readme',
      'every command of the README and the guides; starts a system with the catalog of services',
      'acceptance/readme/readme.test.ts',
    ),
    standIn: smoke('a check by HTTP becomes operational, then down, with its readings stored'),
  },
  {
    ...suite(
      'reports',
      'problem reports of visitors are counted once by several control planes; waits for their paces',
      'control-plane/src/outage/reports/reports.test.ts',
    ),
    standIn: titled(
      'control-plane/src/outage/unusual-reports.test.ts',
      'a report counts for its region in the last 15 and the last 60 minutes',
    ),
  },
  {
    ...suite(
      'browser',
      'the probe that opens pages, its sandbox, and pages that follow events; runs Chromium',
      'acceptance/web/days.test.ts',
      'acceptance/web/live.test.ts',
      'probe-agent/src/probes/browser/host.test.ts',
      'probe-agent/src/probes/browser/probe-browser.test.ts',
      'probe-agent/src/probes/browser/sandbox.test.ts',
      'probe-agent/src/probes/browser/visit.test.ts',
    ),
    standIn: smoke('a browser logs in and shows the check'),
  },
  {
    ...suite(
      'packaged',
      'the command line as an installed package, on the oldest Node and in a company network; installs both',
      'acceptance/cli/packaged.test.ts',
      'acceptance/cli/surroundings.test.ts',
    ),
    standIn: smoke('the command line plans the changes of a file'),
  },
  {
    ...suite(
      'terraform',
      'checks, channels, pages and imports under a real Terraform; starts it for every step',
      'acceptance/terraform/channel.test.ts',
      'acceptance/terraform/check.test.ts',
      'acceptance/terraform/import.test.ts',
      'acceptance/terraform/mirror.test.ts',
      'acceptance/terraform/page.test.ts',
      'acceptance/terraform/wrong-inputs.test.ts',
    ),
    standIn: titled('terraform/src/protocol/server/lifecycle.test.ts', 'it is updated in place'),
  },
  {
    ...suite(
      'backup',
      'a system in the middle of an outage is copied and restored; starts systems and a cluster',
      'infra/operate/backup/backup.test.ts',
      'infra/operate/backup/cluster.test.ts',
    ),
    standIn: smoke('a backup of the running system is restored into empty databases'),
  },
  {
    ...suite(
      'doctor',
      'examines real servers of every kind; starts them',
      'infra/operate/doctor/doctor.test.ts',
    ),
    standIn: titled(
      'infra/operate/doctor/findings/findings.test.ts',
      'every unreachable part is a finding with what to do',
    ),
  },
  {
    ...suite(
      'gateways',
      'clients survive a killed gateway, and nothing of a caller is stored; starts gateways and a system',
      'acceptance/mcp/gateways.test.ts',
      'acceptance/mcp/nothing-kept.test.ts',
    ),
    standIn: titled(
      'acceptance/mcp/golden.test.ts',
      'returns as the text of every tool exactly the body that the gateway received',
    ),
  },
  {
    ...suite(
      'sentry',
      'errors of the SDK for Python; downloads its package',
      'acceptance/errors/sentry-python.test.ts',
    ),
    standIn: titled(
      'acceptance/errors/sentry-node.test.ts',
      'an issue shows the error as @sentry/node sent it',
    ),
  },
  {
    ...suite(
      'images',
      'the images contain what their programs import, and nothing else; bundles every program',
      'infra/deploy/docker.test.ts',
    ),
    standIn: titled(
      'infra/deploy/compose.test.ts',
      'sets only known variables for each program, with which it starts',
    ),
  },
  {
    ...suite(
      'leaf',
      'a leaf node with its keys and TLS carries the traffic of its region only; starts pairs of servers',
      'infra/deploy/nats/enrolment.test.ts',
      'infra/deploy/nats/leaf.test.ts',
      'infra/deploy/nats/tls.test.ts',
    ),
    standIn: titled(
      'infra/deploy/nats/nats-config.test.ts',
      'writes a complete folder for a leaf node, without data of other regions',
    ),
  },
  {
    ...suite(
      'fuzz',
      'hostile inputs at every entrance; a night sends a hundred times as many',
      'acceptance/fuzz/control-plane.test.ts',
      'acceptance/fuzz/evidence.test.ts',
      'acceptance/fuzz/gateway.test.ts',
      'acceptance/fuzz/readers.test.ts',
      'control-plane/src/http/fuzz.test.ts',
      'web/src/script-injection.test.ts',
    ),
    inFull: { FUZZ_ATTACKS: '100000' },
    standIn: titled('control-plane/src/http/walk.test.ts', 'lists all problems of path, query and body'),
  },
]

/** Suites for a night or a release, shortest first. */
export const longSuites: readonly Suite[] = [
  suite(
    'outage/simulation',
    'false shared incidents and weather in simulated years; 1 minute of arithmetic',
    'control-plane/src/outage/simulation/calibration.test.ts',
  ),
  suite(
    'infra/start/processes/agent-clock',
    'an agent with a wrong clock; waits for its notices',
    'infra/start/processes/agent-clock.test.ts',
  ),
  suite(
    'infra/start/processes/agent-refused',
    'an agent with a permanent error exits with its code; waits for its retries',
    'infra/start/processes/agent-refused.test.ts',
  ),
  suite(
    'control-plane/src/http/login-attack',
    'logins under attack from many networks; hashes hundreds of passwords',
    'control-plane/src/http/login-attack.test.ts',
  ),
  suite(
    'acceptance/mcp',
    'every tool by four clients of others; a whole system for them',
    'acceptance/mcp/clients.test.ts',
  ),
  suite(
    'infra/operate/backup',
    'backup and restore between separate databases; starts four servers',
    'infra/operate/backup/own-stores.test.ts',
  ),
  suite(
    'bench/src/probe',
    'the bench of one probe against its own peers; 21 seconds of load',
    'bench/src/probe/probe.test.ts',
  ),
  suite(
    'infra/operate/doctor/faults',
    'doctor finds every planted fault, and its advice fixes each one; 4 minutes',
    'infra/operate/doctor/faults.test.ts',
  ),
  suite(
    'infra/deploy/prepare',
    'generates the files for operators; slow key generation',
    'infra/deploy/prepare.test.ts',
  ),
  suite(
    'infra/deploy/compose-mounts',
    'mounts and secrets of every container; needs namespaces',
    'infra/deploy/compose-mounts.test.ts',
  ),
  suite(
    'infra/deploy/prometheus',
    'alert rules in a real promtool; downloads a package',
    'infra/deploy/prometheus.test.ts',
  ),
  suite(
    'infra/deploy/account-metrics',
    'the metrics of an account, and the queries of its dashboard, in a real promtool and Prometheus; downloads a package',
    'infra/deploy/account-metrics.test.ts',
  ),
  suite(
    'infra/deploy/telemetry',
    "the OTLP push of a real mesh, decoded by OpenTelemetry's own definitions; downloads a package, 2 minutes",
    'infra/deploy/telemetry.test.ts',
  ),
  suite(
    'infra/deploy/proxies',
    'nginx, Caddy and HAProxy with the documented files; downloads packages',
    'infra/deploy/proxies.test.ts',
  ),
  suite(
    'infra/deploy/haproxy',
    'control planes die behind HAProxy for minutes',
    'infra/deploy/haproxy.test.ts',
  ),
  suite(
    'infra/deploy/nats',
    'a NATS cluster loses a server, a leaf node loses its link; starts three servers',
    'infra/deploy/nats/cluster.test.ts',
    'infra/deploy/nats/leaf-cut.test.ts',
  ),
  suite(
    'infra/deploy/terraform/modules',
    'the modules for operators in a real Terraform',
    'infra/deploy/terraform/modules.test.ts',
  ),
  suite(
    'infra/deploy/systemd',
    'every command of docs/deploy-systemd.md on Debian with systemd; needs namespaces',
    'infra/deploy/systemd-run.test.ts',
  ),
  suite(
    'infra/deploy/images',
    'builds and starts the container images; downloads a base image',
    'infra/deploy/images-run.test.ts',
  ),
  suite(
    'acceptance/cli/top',
    '`top` in a real terminal beside a real API; waits for its paces',
    'acceptance/cli/top.test.ts',
  ),
  suite(
    'acceptance/cli/sizes',
    '`status` and `top` in three windows with 10 and 500 checks; prints the screens',
    'acceptance/cli/sizes.test.ts',
  ),
  suite(
    'acceptance/cli/interrupted-replaces',
    '200 replaces by the command line are interrupted and no check is lost; 18 minutes',
    'acceptance/cli/interrupted-replaces.test.ts',
  ),
  suite(
    'acceptance/terraform',
    'the provider with a real Terraform: every resource, kills, proxies, its request budget',
    'acceptance/terraform/budget.test.ts',
    'acceptance/terraform/kill.test.ts',
    'acceptance/terraform/provider.test.ts',
    'acceptance/terraform/replace.test.ts',
    'acceptance/terraform/surroundings.test.ts',
  ),
  suite(
    'acceptance/errors',
    'error tracking under 50 kills, and with the browser SDK',
    'acceptance/errors/kill.test.ts',
    'acceptance/errors/kill-parts.test.ts',
    'acceptance/errors/sentry-browser.test.ts',
    'acceptance/errors/scrubbed.test.ts',
  ),
  suite(
    'acceptance/mesh/burn-kill',
    'burn alerts under 24 kills; a minute of starts',
    'acceptance/mesh/burn-kill.test.ts',
  ),
  suite(
    'acceptance/mesh/escalation-kill',
    'escalations and hand-overs under 50 kills; 3 minutes of starts',
    'acceptance/mesh/escalation-kill.test.ts',
  ),
  suite(
    'acceptance/web',
    'user walks with and without scripts, what every page promises in pixels, bytes and words, axe-core on every page; runs Chromium for minutes',
    'acceptance/web/accessible.test.ts',
    'acceptance/web/criteria/*.test.ts',
    'acceptance/web/walks.test.ts',
  ),
  suite(
    'acceptance/http-servers',
    'the agent against real servers; downloads packages',
    'acceptance/http-servers/servers.test.ts',
  ),
  suite(
    'acceptance/http-corpus',
    'Chromium, curl and the agent read 554 responses; runs Chromium for minutes',
    'acceptance/http-corpus/browsers.test.ts',
  ),
  suite(
    'acceptance/mesh',
    'checks of every type, kills every part 20 times, disconnects regions, fails over databases, expires certificates',
    'acceptance/mesh/agent-shares.test.ts',
    'acceptance/mesh/certificates.test.ts',
    'acceptance/mesh/check-types.test.ts',
    'acceptance/mesh/cut-off.test.ts',
    'acceptance/mesh/failover.test.ts',
    'acceptance/mesh/kill.test.ts',
    'acceptance/mesh/mesh-page.test.ts',
    'acceptance/mesh/mesh.test.ts',
    'acceptance/mesh/no-internet.test.ts',
    'acceptance/mesh/one-event.test.ts',
    'acceptance/mesh/private-agent.test.ts',
    'acceptance/mesh/region-evidence.test.ts',
    'acceptance/mesh/subscriber-mail.test.ts',
  ),
  suite(
    'acceptance/scenarios',
    'situations with a known answer, in real time',
    'acceptance/scenarios/scenarios.test.ts',
  ),
  suite(
    'acceptance/upgrade',
    'the previous version and this one together, under load',
    'acceptance/upgrade/upgrade.test.ts',
  ),
  suite(
    'acceptance/oracle',
    'counts everything from outside during 12 minutes of faults',
    'acceptance/oracle/oracle.test.ts',
  ),
  suite(
    'acceptance/fairness',
    'attacks by two and by fifty accounts on a whole system, and floods of every shared pool',
    'acceptance/fairness/attacks.test.ts',
    'acceptance/fairness/pools.test.ts',
    'acceptance/fairness/shared-pages.test.ts',
  ),
  suite('acceptance/judge', 'answers in 2,000 generated worlds; npm test plays 100'),
]

export const suites: readonly Suite[] = [...suitesOfEachChange, ...longSuites]

/** Suites with a separate command: `npm run security`, `npm run faults`. */
export const ownCommands: readonly Suite[] = [
  suite(
    'acceptance/security',
    'every path to every address that is not public',
    'acceptance/security/security.test.ts',
  ),
  suite('acceptance/faults', 'every fault in docs/reliability.md', 'acceptance/faults/proofs/*.test.ts'),
]
