import type { KnipConfig } from 'knip'

/** `npm run check` fails on unused files, exports and dependencies, and on imports that a package does not declare. */
const config: KnipConfig = {
  // a package exports what another package imports: dependency-rule/entries.ts
  includeEntryExports: true,
  ignoreBinaries: ['.*'],
  // browsers and vitest read these exports
  ignoreIssues: {
    'web/src/islands/*.js': ['exports'],
    // types of JavaScript that the launcher runs
    'infra/start/launch/*.d.mts': ['exports'],
    '**/vitest.config.ts': ['exports'],
    // a layer has the packages of its program: an agent installs no form
    'check-types/*/{probe,page}/**': ['unlisted'],
    // the starts of packages call it
    'infra/start/launch/start-installed.mjs': ['exports'],
    // stands in for another module in an agent of one file
    'check-types/browser/probe/without-chromium.ts': ['exports', 'files'],
    'error-tracking/!(contracts)/**': ['unlisted'],
  },
  workspaces: {
    '.': {
      entry: ['dependency-rule/files-on-the-way.ts'],
      // read by their paths
      ignoreDependencies: ['@modelcontextprotocol/conformance', 'simple-icons', 'world-atlas'],
    },
    acceptance: {
      // a process of its own
      ignoreDependencies: ['@sentry/cli'],
      entry: [
        '**/main.ts',
        '**/*.test.ts',
        '**/vitest.config.ts',
        'faults/{join-document,reporter}.ts',
        'faults/soak/soak.ts',
        'papers/public-names.ts',
      ],
    },
    bench: { entry: ['main.ts', '**/*.test.ts', '**/*-process.ts'] },
    bus: { entry: ['**/*.test.ts'] },
    'check-types': { entry: ['**/*.test.ts'] },
    'error-tracking': { entry: ['**/*.test.ts'] },
    cli: { entry: ['build.ts', 'from-checkout.ts', '**/*.test.ts'] },
    infra: {
      // resolved when ClickHouse starts; run by its file
      ignoreDependencies: ['chdb', 'postject'],
      // the types of JavaScript files
      ignoreFiles: ['start/launch/*.d.mts'],
      entry: [
        '**/main.ts',
        '**/*.test.ts',
        'start/launch/{check,complete-lockfile,docs,sbom,test,write-documents}.ts',
        'deploy/docker/healthcheck.mjs',
        'start/launch/{run,start-installed}.mjs',
        'release/single-file/loader.cjs',
        'deploy/testing/clickhouse-unit.ts',
        'start/processes/*.ts',
      ],
    },
    // the image of the agent logs with the one, and its check types open pages with the other
    'probe-agent': { entry: ['**/*.test.ts'], ignoreDependencies: ['pino', 'playwright-core'] },
    'control-plane': {
      entry: ['**/*.test.ts'],
      // error tracking, a layer of it, loads the first three, and the backups that its image makes the others
      ignoreDependencies: ['@jridgewell/trace-mapping', 'isbot', 'yauzl', 'age-encryption', 'modern-tar'],
    },
    terraform: { entry: ['build.ts', 'src/{main,start}.ts', '**/*.test.ts'] },
    web: {
      entry: ['src/islands/*.js', '**/*.test.ts'],
      // files of fonts, icons and languages
      ignoreDependencies: ['@fontsource-variable/*', 'heroicons', 'highlight.js'],
    },
  },
}
export default config
