import { matchesGlob } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { ownCommands, suites } from './acceptance/suites.ts'
import { testsWithoutServers } from './infra/start/launch/tests-without-servers.ts'

/** Tests whose processes need both cores: a mesh or a Chromium. */
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
  // the palette needs the Postgres of the test run
  'acceptance/web/criteria/!(palette).test.ts',
  'acceptance/web/live.test.ts',
  'acceptance/web/walks.test.ts',
  'check-types/browser/probe/host.test.ts',
  'check-types/browser/probe/probe-browser.test.ts',
  'check-types/browser/probe/sandbox.test.ts',
  'check-types/browser/probe/visit.test.ts',
]

/** Long suites, which run only by name, as in `npm test -- acceptance/scenarios`. */
const soaks = [...suites, ...ownCommands]
/** The words after `vitest run`: the path of Node may contain the name of a suite. */
const named = process.argv.slice(2)
const isNamed = (name: string): boolean => named.some((argument) => argument.includes(name))
/** Whether the command line names the file or its suite. */
const isWanted = (name: string, file: string): boolean =>
  isNamed(name) || isNamed(file.replace(/\.test\.ts$/, ''))
const unnamedSoaks = soaks.flatMap(({ name, files }) => files.filter((file) => !isWanted(name, file)))
/** The number of kills under load: once for each kind of part in a whole run. */
const kills = isNamed('acceptance/errors')
  ? 50
  : isNamed('acceptance/mesh/mesh') || isNamed('acceptance/mesh/kill')
    ? 20
    : 5
/** The number of hostile inputs at each entrance, and over HTTP; `FUZZ_ATTACKS` overrides both. */
const attacks = Number(process.env['FUZZ_ATTACKS'] ?? 1_000)
const hostileRequests = Number(process.env['FUZZ_ATTACKS'] ?? 300)
/** The number of generated worlds whose answers are judged; `JUDGED_WORLDS` overrides it. */
const worlds = Number(process.env['JUDGED_WORLDS'] ?? 100)
/** Whether each user walk runs with and without scripts, or alternately. */
const bothWays = isNamed('acceptance/web')

const ofOthers = [...ofProcesses, ...soaks.flatMap(({ files }) => files)]
const sharing = testsWithoutServers().filter((file) => !ofOthers.some((other) => matchesGlob(file, other)))

/** Files that share processes. Much of their time is waiting, for servers and for time limits. */
const together = { isolate: false, maxWorkers: 3, sequence: { groupOrder: 0 } }

export default defineConfig({
  resolve: {
    alias: [
      {
        find: /^fast-check$/,
        replacement: fileURLToPath(new URL('infra/testing/seeded-fast-check.ts', import.meta.url)),
      },
    ],
  },
  test: {
    // ends a test that hangs; long enough for a machine on which other work runs
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
    setupFiles: ['infra/testing/each-file.ts'],
    expect: { poll: { timeout: 60_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'sharing',
          include: sharing,
          exclude: ['**/node_modules/**', ...unnamedSoaks],
          ...together,
          provide: { worlds },
        },
      },
      {
        extends: true,
        test: {
          name: 'one process',
          include: ['*/src/**/*.test.ts', '{check-types,error-tracking,infra,acceptance,bench}/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...sharing, ...ofProcesses, ...unnamedSoaks],
          globalSetup: ['infra/testing/global-setup.ts'],
          ...together,
          provide: { mesh: 'one process', kills, bothWays, attacks, hostileRequests },
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
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
