import type { Forwarding } from '@probe-mesh/runtime/forwarded'
import { broken, ok, shownAge, warning, type Finding, type Gathered } from './finding.ts'
import type { ChromiumState } from '../../../start/processes/chromium-state.ts'
import { noRegionMeasures } from './agent-findings.ts'
import { lagFinding } from './bus-findings.ts'
import type { MetricsAccess, MetricsFacts, WebFigures } from './metrics-facts.ts'
import { noAnswerFinding, type OwnPortFacts } from './own-port-findings.ts'
import { clockFinding, diskFinding } from './store-findings.ts'

/** Facts from the control plane at PUBLIC_URL. */
export type WebFacts = {
  url: string
  tookMs: number
  /** Parts that are not ready, as `/readyz` names them. */
  notReady: readonly string[]
  /** Parts that do not work, and the effect of each. */
  degraded: readonly { part: string; effect: string }[]
  /** How far its clock is ahead, by the Date header; null: no header. */
  skewMs: number | null
  /** When its certificate expires, Unix ms; null: no TLS. */
  certificateEndsAtMs: number | null
  metrics: MetricsFacts
  /** Whether a proxy forwarded the request, and the control plane trusts it; null: unknown. */
  proxy: Forwarding | null
}

const noFigures: WebFigures = {
  lag: {},
  agents: {},
  chromium: null,
  held: {},
  ownFault: false,
  notTrusted: [],
}

/** A credential or certificate with its expiry. */
export type Credential = {
  whose: string
  /** Unix ms; null: it does not expire. */
  endsAtMs: number | null
  renew: string
}

const day = 86_400_000
const endsSoonMs = 30 * day
const endsVerySoonMs = 3 * day

/** How soon a credential or certificate expires. */
export const credentialFinding = (
  topic: string,
  { whose, endsAtMs, renew }: Credential,
  nowMs: number,
): Finding => {
  if (endsAtMs === null) return ok(topic, `${whose}: no expiry`)
  const left = endsAtMs - nowMs
  if (left <= 0) return broken(topic, `${whose}: expired ${shownAge(-left)} ago.`, renew)
  const message = `${whose}: expires in ${shownAge(left)}`
  if (left <= endsVerySoonMs) return broken(topic, `${message}.`, renew)
  return left <= endsSoonMs ? warning(topic, `${message}.`, renew) : ok(topic, message)
}

export const webFindings = (
  gathered: Gathered<WebFacts>,
  url: string,
  nowMs: number,
  hasBus: boolean,
  own: OwnPortFacts | null = null,
): Finding[] => {
  const topic = 'web'
  if (!gathered.ok) return [noAnswerFinding(gathered, url, own)]
  const { notReady, degraded, tookMs, skewMs, certificateEndsAtMs, proxy } = gathered.facts
  // a proxy may not route them, but the control plane of this machine has them
  const isRouted = gathered.facts.metrics.access !== 'not routed'
  const metrics = isRouted ? gathered.facts.metrics : (own?.metrics ?? gathered.facts.metrics)
  const { lag, agents, chromium, held, ownFault, notTrusted } = metrics.figures ?? noFigures
  return [
    notReady.length === 0
      ? ok(topic, `${url} is ready and answers in ${Math.round(tookMs)} ms`)
      : broken(
          topic,
          `${url} is not ready: ${notReady.join(', ')}.`,
          'Repair these parts; this list has a finding for each. The control plane then becomes ready without a restart.',
        ),
    ...degraded.map(({ part, effect }) =>
      warning(
        'degraded',
        `${url} works without ${part}: ${effect}`,
        `Repair ${part}; this list has a finding for it. No restart is needed.`,
      ),
    ),
    ...(skewMs === null ? [] : [clockFinding('clock', "the control plane's clock", skewMs)]),
    ...(certificateEndsAtMs === null
      ? []
      : [
          credentialFinding(
            'certificate',
            {
              whose: `the certificate of ${url}`,
              endsAtMs: certificateEndsAtMs,
              renew: 'Renew it on the server that terminates TLS.',
            },
            nowMs,
          ),
        ]),
    metricsFinding(isRouted ? url : (own?.url ?? url), metrics.access, { hasBus, isRouted }),
    ...proxyFindings(proxy, { url, addresses: notTrusted }),
    ...(chromium === null ? [] : [chromiumFinding(chromium)]),
    ...Object.entries(held).map(([what, seconds]) =>
      warning(
        'loop',
        `${what || 'Work without a name'} held the event loop of ${url} for ${seconds.toFixed(1)} s: everything else waited.`,
        'The log names its account. Runs of a check that did it start last for a minute. Report it as a bug.',
      ),
    ),
    // NATS, if there is one, reports lag and agents of all processes
    ...(hasBus ? [] : Object.entries(lag).map(([consumer, waiting]) => lagFinding(consumer, waiting, 0))),
    ...(hasBus ? [] : Object.entries(agents).map(agentsFinding)),
    ...(ownFault && !hasBus ? [noRegionMeasures()] : []),
  ]
}

/** Behind a proxy that is not trusted, every visitor has its address in budgets and in the audit log. */
export const proxyFindings = (
  proxy: Forwarding | null,
  { url, addresses, of = 'every control plane' }: { url: string; addresses: readonly string[]; of?: string },
): Finding[] => {
  const topic = 'proxy'
  if (proxy === 'trusted') return [ok(topic, 'TRUST_PROXY has the proxy, so clients keep their addresses')]
  if (proxy !== 'not_trusted') return []
  const [address = '<its address>'] = addresses
  return [
    warning(
      topic,
      `A proxy at ${url} forwards requests, and TRUST_PROXY lacks it: all visitors share its address in rate limits and in the audit log.`,
      `Set TRUST_PROXY=${address} on ${of}, and restart ${of === 'every control plane' ? 'them' : 'it'}.`,
    ),
  ]
}

const metricsFinding = (
  url: string,
  access: MetricsAccess,
  { hasBus, isRouted }: { hasBus: boolean; isRouted: boolean },
): Finding => {
  const topic = 'metrics'
  const notRouted = isRouted ? '' : '; the proxy does not route it'
  switch (access) {
    case 'open':
      return broken(
        topic,
        `${url}/metrics answers everybody without a token.`,
        'Set METRICS_TOKEN or METRICS_TOKEN_FILE, and do not route /metrics to a public address.',
      )
    case 'not routed':
      // with NATS, no finding needs them
      if (hasBus) return ok(topic, 'the proxy does not route /metrics')
      return warning(
        topic,
        `${url}/metrics is not routed, so lag and agents are unknown.`,
        'Run this command on the machine of the control plane, with its HOST and PORT.',
      )
    case 'refused':
      return warning(
        topic,
        `${url}/metrics refuses this command, so lag and agents are unknown.`,
        'Set METRICS_TOKEN as on the control plane, or run this command on its machine.',
      )
    case 'token':
      return ok(topic, `/metrics answers only with the token${notRouted}`)
    case 'this machine':
      return ok(topic, `/metrics answers only this machine: METRICS_TOKEN is not set${notRouted}`)
  }
}

const chromiumFinding = (state: ChromiumState): Finding => {
  const topic = 'browser'
  switch (state) {
    case 'sandboxed':
      return ok(topic, 'Chromium runs with its sandbox')
    case 'none':
      return ok(topic, 'Chromium is missing or off, so browser checks do not run here')
    case 'off':
      return warning(
        topic,
        'Browser checks are off: Chromium cannot start its sandbox.',
        'The log has the reason. Allow user namespaces, or set CHROMIUM=off. CHROMIUM_WITHOUT_SANDBOX=yes runs Chromium without a sandbox.',
      )
    case 'without_sandbox':
      return warning(
        topic,
        'Chromium runs without a sandbox: a page that exploits it gets the permissions of its user.',
        'Allow user namespaces, and remove CHROMIUM_WITHOUT_SANDBOX.',
      )
  }
}

const agentsFinding = ([region, count]: [string, number]): Finding =>
  count > 0
    ? ok('agents', `${region}: ${count}`)
    : broken(
        'agents',
        `${region} has no online agent, so it measures nothing.`,
        'Check the log of the process, and restart it.',
      )

/** Whether the mail server works. @param gathered null: no SMTP_URL is set */
export const mailFinding = (gathered: Gathered<{ tookMs: number }> | null): Finding => {
  const topic = 'mail'
  if (gathered === null)
    return ok(topic, 'SMTP_URL is not set: messages are not sent, and stay on the outbox page')
  return gathered.ok
    ? ok(topic, `the mail server accepts the login, in ${Math.round(gathered.facts.tookMs)} ms`)
    : broken(
        topic,
        `The mail server does not accept a connection or login: ${gathered.why}.`,
        'Start it, or correct host, port, user and password in SMTP_URL. Mail is retried for days.',
      )
}

/** Whether other users of the machine can read the data directory. */
export const filesFinding = (gathered: Gathered<readonly string[]>, path: string): Finding => {
  const topic = 'files'
  if (!gathered.ok) {
    return warning(
      topic,
      `${path} cannot be read: ${gathered.why}.`,
      'Run this command as the user of the instance.',
    )
  }
  const open = gathered.facts
  return open.length === 0
    ? ok(topic, 'other users of this machine cannot read DATA_DIR')
    : broken(
        topic,
        `Other users of this machine can read ${open.join(', ')}.`,
        'Restart the instance, which corrects the permissions, or run chmod -R go= on each.',
      )
}

export type DiskFacts = { path: string; freeBytes: number; totalBytes: number }

export const diskFindings = (gathered: Gathered<DiskFacts>, path: string): Finding[] =>
  gathered.ok
    ? [diskFinding('disk', `DATA_DIR (${path})`, gathered.facts)]
    : [
        warning(
          'disk',
          `${path} cannot be read: ${gathered.why}.`,
          'Set DATA_DIR to the folder of the instance.',
        ),
      ]
