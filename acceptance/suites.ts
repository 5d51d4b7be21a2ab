import type { Suite } from './suite.ts'
import { suitesOfEachChange } from './suites-of-each-change.ts'

const suite = (name: string, about: string, ...files: string[]): Suite => ({ name, about, files })

/** Suites for a night or a release, shortest first. */
export const longSuites: readonly Suite[] = [
  suite(
    'schedules',
    'a year of every rota of 1 to 14 members against a model and calendars, OnCalendar against systemd; 7 minutes',
    'acceptance/schedules/every-rota.test.ts',
    'acceptance/schedules/on-calendar.test.ts',
  ),
  suite(
    'public-answers/simulation',
    'false shared incidents and weather in simulated years; 1 minute of arithmetic',
    'control-plane/src/public-answers/simulation/calibration.test.ts',
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
    'control-plane/src/login/login-attack',
    'logins under attack from many networks; hashes hundreds of passwords',
    'control-plane/src/login/login-attack.test.ts',
  ),
  suite(
    'acceptance/mcp',
    'every tool by four clients of others; a whole system for them',
    'acceptance/mcp/clients.test.ts',
  ),
  suite(
    'acceptance/secrets',
    'disks and wires of private agents have only the secrets that name them; starts a system and two agents',
    'acceptance/secrets/readers.test.ts',
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
    'doctor finds every planted fault, and its advice fixes each one; 10 minutes',
    'infra/operate/doctor/faults.test.ts',
  ),
  suite(
    'infra/operate/doctor/green',
    'doctor reports nothing about a mesh that is idle, measuring, busy or behind each of our proxies; 40 runs',
    'infra/operate/doctor/green.test.ts',
  ),
  suite(
    'probe-agent/src/dns/real-servers',
    'look-ups of Knot, BIND, unbound and dnsmasq, beside c-ares; downloads packages',
    'probe-agent/src/dns/real-servers.test.ts',
  ),
  suite(
    'infra/deploy/prepare',
    'generates the files for operators; slow keys',
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
    'infra/deploy/telemetry-encodings.test.ts',
  ),
  suite(
    'infra/deploy/proxies',
    'nginx, Caddy and HAProxy with the documented files; downloads packages',
    'infra/deploy/proxies.test.ts',
  ),
  suite('infra/deploy/haproxy', 'control planes die behind HAProxy', 'infra/deploy/haproxy.test.ts'),
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
    'infra/deploy/helm-run',
    'the chart in a real Helm, without a cluster; downloads a package',
    'infra/deploy/helm-run.test.ts',
  ),
  suite(
    'infra/deploy/systemd',
    'every command of docs/deploy-systemd.md on Debian with systemd; needs namespaces',
    'infra/deploy/systemd-run.test.ts',
  ),
  suite(
    'infra/release/debian-packages',
    'the packages installed by apt on a new Debian with systemd, upgraded and purged; needs namespaces',
    'infra/release/debian-packages/debian-run.test.ts',
  ),
  suite(
    'infra/deploy/images',
    'builds and starts the container images; downloads a base image',
    'infra/deploy/images-run.test.ts',
  ),
  suite(
    'acceptance/install',
    'makes a release twice, and starts a first green check from each of its files, a clone and a first mesh; downloads packages, 20 minutes',
    'acceptance/install/first-mesh.test.ts',
    'acceptance/install/install.test.ts',
  ),
  suite(
    'acceptance/imports',
    'documents and recordings of others against the real curl, the recording and RFC 6570: nothing differs in silence; downloads packages',
    'acceptance/imports/real-documents.test.ts',
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
    'acceptance/tls-servers',
    'tcp and smtp checks with TLS and STARTTLS against servers of Debian, compared with openssl; downloads packages',
    'acceptance/tls-servers/servers.test.ts',
  ),
  suite(
    'acceptance/certificates',
    '60 chains of certificates through blackbox_exporter and the agent; downloads a package',
    'acceptance/certificates/chains.test.ts',
  ),
  suite(
    'acceptance/http-corpus',
    'Chromium, curl and the agent read 554 responses, follow 240 chains of redirects and decode 50 pages; runs Chromium for minutes',
    'acceptance/http-corpus/browsers.test.ts',
    'acceptance/http-corpus/charsets.test.ts',
    'acceptance/http-corpus/redirect-chains.test.ts',
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
    'acceptance/mesh/every-surface',
    'outages of every kind, read at eleven moments from every surface: no two contradict each other; 7 minutes',
    'acceptance/mesh/every-surface.test.ts',
  ),
  suite(
    'acceptance/mesh/absence',
    'all control planes are away for 12, 45 and 300 s: nothing false is stale, one message for each outage; 12 minutes',
    'acceptance/mesh/absence.test.ts',
  ),
  suite(
    'acceptance/mesh/quiet-mesh',
    'a first start without internet for an hour sends nothing to accounts; needs namespaces. QUIET_MINUTES shortens it',
    'acceptance/mesh/quiet-mesh.test.ts',
  ),
  suite(
    'acceptance/scenarios',
    'situations with a known answer, in real time; SCENARIO_SECONDS is the interval',
    'acceptance/scenarios/scenarios.test.ts',
  ),
  suite(
    'acceptance/upgrade',
    'the previous version and this one together, under load',
    'acceptance/upgrade/schema.test.ts',
    'acceptance/upgrade/upgrade.test.ts',
  ),
  suite(
    'acceptance/upgrade/messages',
    'receivers of alerts of one version get their recoveries from another; 20 minutes of whole processes',
    'acceptance/upgrade/messages.test.ts',
  ),
  suite(
    'acceptance/company-network',
    'a private agent and a mesh behind squid with a password, cut off for 5 minutes; a host without IPv4; needs root',
    'acceptance/company-network/company-network.test.ts',
    'acceptance/company-network/ipv6-only.test.ts',
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
    'acceptance/fairness/slow-work.test.ts',
  ),
  suite('acceptance/judge', 'answers in 2,000 generated worlds; npm test plays 100'),
  {
    ...suite('acceptance/properties', 'every property with new seeds, for 60 minutes; npm test has one seed'),
    program: 'acceptance/properties/main.ts',
  },
]

export const suites: readonly Suite[] = [...suitesOfEachChange, ...longSuites]

/** Suites with a separate command: `npm run security`, `npm run faults`. */
export const ownCommands: readonly Suite[] = [
  suite(
    'acceptance/security',
    'attacks on addresses, secrets, isolation and regular expressions',
    'acceptance/security/security.test.ts',
    'acceptance/security/long-runs.test.ts',
  ),
  suite('acceptance/faults', 'every fault in docs/reliability.md', 'acceptance/faults/proofs/*.test.ts'),
]
