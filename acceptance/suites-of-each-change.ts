import type { Suite } from './suite.ts'

/** A test of `npm test`. */
type StandIn = { file: string; title: string }

type ShortSuite = Suite & { standIn: StandIn }

const suite = (name: string, about: string, standIn: StandIn, ...files: string[]): ShortSuite => ({
  name,
  about,
  standIn,
  files,
})
const titled = (file: string, title: string): StandIn => ({ file, title })
const smoke = (title: string): StandIn => titled('acceptance/smoke.test.ts', title)

/**
 * Suites for each change: `npm run acceptance -- each-change` runs them together in a few minutes. `standIn`
 * covers the same way once in `npm test`.
 */
export const suitesOfEachChange: readonly ShortSuite[] = [
  suite(
    'processes',
    'every process refuses wrong settings, waits for its servers, and stops; installs and starts dozens',
    smoke('a new data directory starts and is ready'),
    'infra/start/all-in-one/main.test.ts',
    'infra/start/all-in-one/private-files.test.ts',
    'infra/start/launch/launch.test.ts',
    'infra/start/processes/agent-admission.test.ts',
    'infra/start/processes/agent.test.ts',
    'infra/start/processes/control-plane.test.ts',
    'infra/start/processes/mcp-gateway.test.ts',
    'infra/start/processes/start-chromium.test.ts',
    'infra/start/processes/until-available.test.ts',
    'probe-agent/src/secrets/sealed-on-disk.test.ts',
  ),
  suite(
    'stores',
    'databases of one process and of a cluster survive kills and refuse those of others; starts servers',
    smoke('a new data directory starts and is ready'),
    'control-plane/src/app/purge/retention.test.ts',
    'control-plane/src/mesh/identity/prepare-stores.test.ts',
    'control-plane/src/stores/clickhouse/cluster.test.ts',
    'infra/start/embedded/clickhouse/start.test.ts',
    'infra/start/embedded/postgres/start.test.ts',
    'infra/start/stores/stores.test.ts',
  ),
  suite(
    'path',
    'a reading from the target to its answer, in one process and in several; needs both cores',
    smoke('a check by HTTP becomes operational, then down, with its readings stored'),
    'acceptance/mesh/path.test.ts',
  ),
  suite(
    'poison',
    'hostile messages of one region on a real NATS hold up no other; starts two control planes',
    titled(
      'control-plane/src/mesh/ingest/poison.test.ts',
      'finds the message that cannot be stored among others and sets it aside',
    ),
    'acceptance/messages/poison-on-nats.test.ts',
  ),
  suite(
    'readme',
    'every command of the README and the guides; starts a system with the catalog of services',
    smoke('a check by HTTP becomes operational, then down, with its readings stored'),
    'acceptance/readme/readme.test.ts',
  ),
  suite(
    'reports',
    'problem reports of visitors are counted once by several control planes; waits for their paces',
    titled(
      'control-plane/src/public-answers/unusual-reports.test.ts',
      'a report counts for its region in the last 15 and the last 60 minutes',
    ),
    'control-plane/src/public-answers/reports/reports.test.ts',
  ),
  suite(
    'browser',
    'the probe that opens pages, its sandbox, and pages that follow events; runs Chromium',
    smoke('a browser logs in and shows the check'),
    'acceptance/web/days.test.ts',
    'acceptance/web/live.test.ts',
    'check-types/browser/probe/host.test.ts',
    'check-types/browser/probe/probe-browser.test.ts',
    'check-types/browser/probe/sandbox.test.ts',
    'check-types/browser/probe/visit.test.ts',
    'web/src/islands/islands.test.ts',
  ),
  {
    ...suite(
      'worlds',
      'answers, burn rates and the outage log equal the truth in generated and documented histories; plays hours of them',
      titled(
        'control-plane/src/public-answers/simulation/simulation.test.ts',
        'each rule stays within its documented limits over simulated months',
      ),
      'acceptance/judge/judge.test.ts',
      'acceptance/judge/unsteady.test.ts',
      'acceptance/outages/replay/virtual.test.ts',
      'control-plane/src/mesh/ingest/rollups-query.test.ts',
      'control-plane/src/objectives/burn-series.test.ts',
      'control-plane/src/overview/outages/outages-oracle.test.ts',
    ),
    inFull: { JUDGED_WORLDS: '2000' },
  },
  suite(
    'recorded',
    'the agent reads every recorded response as Chromium and curl did; reads hundreds of plays',
    titled('probe-agent/src/http1/response-reader.test.ts', 'parses every response the same, with any split'),
    'acceptance/http-corpus/recorded.test.ts',
  ),
  suite(
    'catalog',
    'a catalog of 10,000 checks is applied in one run, and the real one is measured; writes them all',
    titled(
      'control-plane/src/public-answers/answers/reconcile-catalog.test.ts',
      'writes once if several control planes start at the same time',
    ),
    'control-plane/src/public-answers/answers/reconcile-large-catalog.test.ts',
    'infra/operate/catalog/measured.test.ts',
  ),
  suite(
    'nats',
    'the contract of the bus on a real NATS, through its restarts; starts a server for each test',
    titled(
      'bus/src/nats/private.test.ts',
      'a control plane publishes readings of a private agent, and gets its marks but not those of others',
    ),
    'bus/src/nats/mesh.contract.test.ts',
    'bus/src/nats/nats.contract.test.ts',
    'bus/src/nats/nats.test.ts',
    'error-tracking/persist/nats.test.ts',
  ),
  suite(
    'packaged',
    'the command line as an installed package, on the oldest Node, in every shell and in a company network; installs them',
    smoke('the command line plans the changes of a file'),
    'acceptance/cli/packaged.test.ts',
    'acceptance/cli/surroundings.test.ts',
    'cli/src/completion/completion-script.test.ts',
  ),
  suite(
    'terraform',
    'checks, channels, pages and imports under a real Terraform; starts it for every step',
    titled('terraform/src/protocol/server/lifecycle.test.ts', 'it is updated in place'),
    'acceptance/terraform/channel.test.ts',
    'acceptance/terraform/check.test.ts',
    'acceptance/terraform/import.test.ts',
    'acceptance/terraform/mirror.test.ts',
    'acceptance/terraform/page.test.ts',
    'acceptance/terraform/wrong-inputs.test.ts',
  ),
  suite(
    'backup',
    'a system in the middle of an outage is copied and restored; starts systems and a cluster',
    smoke('a backup of the running system is restored into empty databases'),
    'infra/operate/backup/backup.test.ts',
    'infra/operate/backup/cluster.test.ts',
  ),
  suite(
    'doctor',
    'examines real servers of every kind; starts them',
    titled(
      'infra/operate/doctor/findings/findings.test.ts',
      'every unreachable part is a finding with what to do',
    ),
    'infra/operate/doctor/doctor.test.ts',
  ),
  suite(
    'gateways',
    'the official suite passes, clients survive a killed gateway, and nothing of a caller is stored; starts systems',
    titled('mcp-gateway/src/gateway.test.ts', 'is the body of the control plane, byte for byte'),
    'acceptance/mcp/conformance.test.ts',
    'acceptance/mcp/gateways.test.ts',
    'acceptance/mcp/golden.test.ts',
    'acceptance/mcp/nothing-kept.test.ts',
  ),
  suite(
    'sentry',
    "errors of the SDK for Python, and source maps of Sentry's tools; downloads a package, starts bundlers",
    titled('acceptance/errors/sentry-node.test.ts', 'an issue shows the error as @sentry/node sent it'),
    'acceptance/errors/sentry-python.test.ts',
    'acceptance/errors/source-maps.test.ts',
  ),
  suite(
    'leaf',
    'a leaf node with its keys and TLS carries the traffic of its region only; starts pairs of servers',
    titled(
      'infra/deploy/nats/nats-config.test.ts',
      'writes a complete folder for a leaf node, without data of other regions',
    ),
    'infra/deploy/nats/enrolment.test.ts',
    'infra/deploy/nats/leaf.test.ts',
    'infra/deploy/nats/tls.test.ts',
  ),
  {
    ...suite(
      'fuzz',
      'hostile inputs at every entrance; a night sends a hundred times as many',
      titled('control-plane/src/http/walk.test.ts', 'lists all problems of path, query and body'),
      'acceptance/fuzz/control-plane.test.ts',
      'acceptance/fuzz/evidence.test.ts',
      'acceptance/fuzz/gateway.test.ts',
      'acceptance/fuzz/readers.test.ts',
      'control-plane/src/http/fuzz.test.ts',
      'web/src/script-injection.test.ts',
    ),
    inFull: { FUZZ_ATTACKS: '100000' },
  },
]
