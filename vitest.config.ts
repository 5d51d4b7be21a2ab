import { matchesGlob } from 'node:path'
import { defineConfig } from 'vitest/config'
import { testsWithoutServers } from './infra/testing/tests-without-servers.ts'

/** Each starts processes that need both cores, a mesh of them or a Chromium. */
const ofProcesses = [
  'acceptance/fairness/shared-pages.test.ts',
  'acceptance/http-corpus/browsers.test.ts',
  'acceptance/http-servers/servers.test.ts',
  'acceptance/oracle/oracle.test.ts',
  'infra/mesh.test.ts',
  'infra/mesh-page.test.ts',
  'infra/cut-off.test.ts',
  'infra/check-types.test.ts',
  'infra/private-agent.test.ts',
  'infra/certificates.test.ts',
  'infra/deploy/haproxy.test.ts',
  'infra/doctor/faults.test.ts',
  'infra/upgrade/upgrade.test.ts',
  'infra/deploy/prometheus.test.ts',
  'infra/deploy/proxies.test.ts',
  'infra/errors/kill-parts.test.ts',
  'infra/faults/proofs/*.test.ts',
  'infra/web/accessible.test.ts',
  'infra/web/live.test.ts',
  'infra/web/walks.test.ts',
  'probe-agent/src/probes/browser/host.test.ts',
  'probe-agent/src/probes/browser/probe-browser.test.ts',
  'probe-agent/src/probes/browser/sandbox.test.ts',
  'probe-agent/src/probes/browser/visit.test.ts',
]

/** What takes long: each runs where it is named, as in `npm test -- infra/scenarios`. */
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
  { name: 'infra/processes/agent-clock', file: 'infra/processes/agent-clock.test.ts' },
  { name: 'infra/processes/agent-refused', file: 'infra/processes/agent-refused.test.ts' },
  { name: 'infra/agent-shares', file: 'infra/agent-shares.test.ts' },
  { name: 'infra/backup', file: 'infra/backup/own-stores.test.ts' },
  { name: 'infra/cut-off', file: 'infra/cut-off.test.ts' },
  { name: 'infra/doctor/faults', file: 'infra/doctor/faults.test.ts' },
  { name: 'infra/errors', file: 'infra/errors/kill.test.ts' },
  { name: 'infra/errors', file: 'infra/errors/sentry-browser.test.ts' },
  { name: 'infra/errors', file: 'infra/errors/kill-parts.test.ts' },
  { name: 'infra/errors', file: 'infra/errors/scrubbed.test.ts' },
  { name: 'infra/security', file: 'infra/security/security.test.ts' },
  { name: 'infra/faults', file: 'infra/faults/proofs/*.test.ts' },
  { name: 'infra/web', file: 'infra/web/accessible.test.ts' },
  { name: 'infra/deploy', file: 'infra/deploy/prepare.test.ts' },
  { name: 'infra/deploy', file: 'infra/deploy/compose-mounts.test.ts' },
  { name: 'infra/deploy/systemd', file: 'infra/deploy/systemd-run.test.ts' },
  { name: 'infra/deploy/images', file: 'infra/deploy/images-run.test.ts' },
  { name: 'infra/deploy/haproxy', file: 'infra/deploy/haproxy.test.ts' },
  { name: 'infra/upgrade', file: 'infra/upgrade/upgrade.test.ts' },
  { name: 'infra/deploy/prometheus', file: 'infra/deploy/prometheus.test.ts' },
  { name: 'infra/deploy/proxies', file: 'infra/deploy/proxies.test.ts' },
  { name: 'infra/failover', file: 'infra/failover.test.ts' },
  { name: 'infra/nats/cluster', file: 'infra/nats/cluster.test.ts' },
  { name: 'infra/nats/leaf-cut', file: 'infra/nats/leaf-cut.test.ts' },
  { name: 'infra/scenarios', file: 'infra/scenarios/scenarios.test.ts' },
  { name: 'infra/terraform/budget', file: 'infra/terraform/budget.test.ts' },
  { name: 'infra/terraform/modules', file: 'infra/terraform/modules.test.ts' },
  { name: 'infra/terraform/kill', file: 'infra/terraform/kill.test.ts' },
  { name: 'infra/region-evidence', file: 'infra/region-evidence.test.ts' },
  { name: 'infra/private-agent', file: 'infra/private-agent.test.ts' },
  { name: 'infra/certificates', file: 'infra/certificates.test.ts' },
]
const isNamed = (name: string): boolean => process.argv.some((argument) => argument.includes(name))
const unnamedSoaks = soaks.flatMap(({ name, file }) => (isNamed(name) ? [] : [file]))
/** The path is walked in one process too where it is named; a whole run walks it in many. */
const pathOnce = isNamed('infra/path') ? [] : ['infra/path.test.ts']
/** How often a test that kills under load does so: each kind of part once in a whole run. */
const kills = isNamed('infra/errors') ? 50 : isNamed('infra/mesh') || isNamed('infra/kill') ? 20 : 5
/** Hostile inputs at each entrance, and over HTTP; `FUZZ_ATTACKS` is another number for both. */
const fuzzed = process.env['FUZZ_ATTACKS'] ?? (isNamed('acceptance/fuzz') ? 100_000 : null)
const attacks = Number(fuzzed ?? 1_000)
const hostileRequests = Number(fuzzed ?? 300)
/** Generated worlds that answers are judged in; `JUDGED_WORLDS` is another number. */
const worlds = Number(process.env['JUDGED_WORLDS'] ?? (isNamed('acceptance/judge') ? 2_000 : 100))
/** Whether people's walks are walked with and without scripts, or by turns. */
const bothWays = isNamed('infra/web')

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
          include: ['infra/path.test.ts', ...ofProcesses],
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
