import { matchesGlob } from 'node:path'
import { defineConfig } from 'vitest/config'
import { testsWithoutServers } from './infra/start/launch/tests-without-servers.ts'

/** Each starts processes that need both cores, a mesh of them or a Chromium. */
const ofProcesses = [
  'acceptance/fairness/shared-pages.test.ts',
  'acceptance/http-corpus/browsers.test.ts',
  'acceptance/http-servers/servers.test.ts',
  'acceptance/oracle/oracle.test.ts',
  'acceptance/mesh/mesh.test.ts',
  'acceptance/mesh/mesh-page.test.ts',
  'acceptance/mesh/cut-off.test.ts',
  'acceptance/mesh/check-types.test.ts',
  'acceptance/mesh/private-agent.test.ts',
  'acceptance/mesh/certificates.test.ts',
  'infra/deploy/haproxy.test.ts',
  'infra/operate/doctor/faults.test.ts',
  'acceptance/upgrade/upgrade.test.ts',
  'infra/deploy/prometheus.test.ts',
  'infra/deploy/proxies.test.ts',
  'acceptance/errors/kill-parts.test.ts',
  'acceptance/faults/proofs/*.test.ts',
  'acceptance/web/accessible.test.ts',
  'acceptance/web/live.test.ts',
  'acceptance/web/walks.test.ts',
  'probe-agent/src/probes/browser/host.test.ts',
  'probe-agent/src/probes/browser/probe-browser.test.ts',
  'probe-agent/src/probes/browser/sandbox.test.ts',
  'probe-agent/src/probes/browser/visit.test.ts',
]

/** What takes long: each runs where it is named, as in `npm test -- acceptance/scenarios`. */
const soaks = [
  {
    name: 'outage/simulation',
    file: 'control-plane/src/outage/simulation/calibration.test.ts',
  },
  { name: 'acceptance/fairness', file: 'acceptance/fairness/attacks.test.ts' },
  { name: 'acceptance/fairness', file: 'acceptance/fairness/shared-pages.test.ts' },
  { name: 'acceptance/http-corpus', file: 'acceptance/http-corpus/browsers.test.ts' },
  { name: 'acceptance/http-servers', file: 'acceptance/http-servers/servers.test.ts' },
  { name: 'acceptance/oracle', file: 'acceptance/oracle/oracle.test.ts' },
  { name: 'infra/start/processes/agent-clock', file: 'infra/start/processes/agent-clock.test.ts' },
  {
    name: 'infra/start/processes/agent-refused',
    file: 'infra/start/processes/agent-refused.test.ts',
  },
  { name: 'acceptance/mesh/agent-shares', file: 'acceptance/mesh/agent-shares.test.ts' },
  { name: 'infra/operate/backup', file: 'infra/operate/backup/own-stores.test.ts' },
  { name: 'acceptance/mesh/cut-off', file: 'acceptance/mesh/cut-off.test.ts' },
  { name: 'infra/operate/doctor/faults', file: 'infra/operate/doctor/faults.test.ts' },
  { name: 'acceptance/errors', file: 'acceptance/errors/kill.test.ts' },
  { name: 'acceptance/errors', file: 'acceptance/errors/sentry-browser.test.ts' },
  { name: 'acceptance/errors', file: 'acceptance/errors/kill-parts.test.ts' },
  { name: 'acceptance/errors', file: 'acceptance/errors/scrubbed.test.ts' },
  { name: 'acceptance/security', file: 'acceptance/security/security.test.ts' },
  { name: 'acceptance/faults', file: 'acceptance/faults/proofs/*.test.ts' },
  { name: 'acceptance/web', file: 'acceptance/web/accessible.test.ts' },
  { name: 'infra/deploy', file: 'infra/deploy/prepare.test.ts' },
  { name: 'infra/deploy', file: 'infra/deploy/compose-mounts.test.ts' },
  { name: 'infra/deploy/systemd', file: 'infra/deploy/systemd-run.test.ts' },
  { name: 'infra/deploy/images', file: 'infra/deploy/images-run.test.ts' },
  { name: 'infra/deploy/haproxy', file: 'infra/deploy/haproxy.test.ts' },
  { name: 'acceptance/upgrade', file: 'acceptance/upgrade/upgrade.test.ts' },
  { name: 'infra/deploy/prometheus', file: 'infra/deploy/prometheus.test.ts' },
  { name: 'infra/deploy/proxies', file: 'infra/deploy/proxies.test.ts' },
  { name: 'acceptance/mesh/failover', file: 'acceptance/mesh/failover.test.ts' },
  { name: 'infra/deploy/nats/cluster', file: 'infra/deploy/nats/cluster.test.ts' },
  { name: 'infra/deploy/nats/leaf-cut', file: 'infra/deploy/nats/leaf-cut.test.ts' },
  { name: 'acceptance/scenarios', file: 'acceptance/scenarios/scenarios.test.ts' },
  { name: 'acceptance/terraform/budget', file: 'acceptance/terraform/budget.test.ts' },
  { name: 'infra/deploy/terraform/modules', file: 'infra/deploy/terraform/modules.test.ts' },
  { name: 'acceptance/terraform/kill', file: 'acceptance/terraform/kill.test.ts' },
  { name: 'acceptance/mesh/region-evidence', file: 'acceptance/mesh/region-evidence.test.ts' },
  { name: 'acceptance/mesh/private-agent', file: 'acceptance/mesh/private-agent.test.ts' },
  { name: 'acceptance/mesh/certificates', file: 'acceptance/mesh/certificates.test.ts' },
]
const isNamed = (name: string): boolean => process.argv.some((argument) => argument.includes(name))
const unnamedSoaks = soaks.flatMap(({ name, file }) => (isNamed(name) ? [] : [file]))
/** The path is walked in one process too where it is named; a whole run walks it in many. */
const pathOnce = isNamed('acceptance/mesh/path') ? [] : ['acceptance/mesh/path.test.ts']
/** How often a test that kills under load does so: each kind of part once in a whole run. */
const kills = isNamed('acceptance/errors')
  ? 50
  : isNamed('acceptance/mesh/mesh') || isNamed('acceptance/mesh/kill')
    ? 20
    : 5
/** Hostile inputs at each entrance, and over HTTP; `FUZZ_ATTACKS` is another number for both. */
const fuzzed = process.env['FUZZ_ATTACKS'] ?? (isNamed('acceptance/fuzz') ? 100_000 : null)
const attacks = Number(fuzzed ?? 1_000)
const hostileRequests = Number(fuzzed ?? 300)
/** Generated worlds that answers are judged in; `JUDGED_WORLDS` is another number. */
const worlds = Number(process.env['JUDGED_WORLDS'] ?? (isNamed('acceptance/judge') ? 2_000 : 100))
/** Whether people's walks are walked with and without scripts, or by turns. */
const bothWays = isNamed('acceptance/web')

const ofOthers = [...ofProcesses, ...soaks.map(({ file }) => file)]
const sharing = testsWithoutServers().filter(
  (file) => !ofOthers.some((other) => matchesGlob(file, other)),
)

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: 'forks',
    setupFiles: ['infra/testing/patience.ts'],
    expect: { poll: { timeout: 15_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'sharing',
          include: sharing,
          exclude: ['**/node_modules/**', ...unnamedSoaks],
          isolate: false,
          provide: { worlds },
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'one process',
          include: ['*/src/**/*.test.ts', '{infra,acceptance,bench}/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...sharing, ...ofProcesses, ...unnamedSoaks, ...pathOnce],
          globalSetup: ['infra/testing/global-setup.ts'],
          provide: { mesh: 'one process', kills, bothWays, attacks, hostileRequests },
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'processes',
          // the path runs in one process as well
          include: ['acceptance/mesh/path.test.ts', ...ofProcesses],
          exclude: ['**/node_modules/**', ...unnamedSoaks],
          globalSetup: ['infra/testing/chromium-setup.ts'],
          provide: { mesh: 'processes', kills, bothWays },
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})
