import { broken, ok, shownAge, warning } from './finding.ts'
import type { ChromiumState } from '../../../start/processes/chromium-state.ts'
import type { Finding, Gathered } from './finding.ts'
import { lagFinding } from './bus-findings.ts'
import { awayFinding } from './own-port-findings.ts'
import type { OwnPortFacts } from './own-port-findings.ts'
import { clockFinding, diskFinding } from './store-findings.ts'

/** Who reads `/metrics`: everybody, who has the token, this machine, or not even we. */
export type MetricsAccess = 'open' | 'token' | 'this machine' | 'refused'

/** What the control plane's own address says. */
export type WebFacts = {
  url: string
  tookMs: number
  /** Parts that are not ready, as `/readyz` names them. */
  notReady: readonly string[]
  /** Parts that it does without at the moment, and what is worse meanwhile, in its own words. */
  degraded: readonly { part: string; effect: string }[]
  /** Of its clock, by the Date header; null: it sends none. */
  skewMs: number | null
  /** When its certificate ends, Unix ms; null where it is reached without one. */
  certificateEndsAtMs: number | null
  metrics: MetricsAccess
  /** Messages not acknowledged, by consumer, where the bus is in that process. */
  lag: Readonly<Record<string, number>>
  /** Agents by region, as it sees them. */
  agents: Readonly<Record<string, number>>
  /** What its own agents run browser checks in; null: it has none, or does not say. */
  chromium: ChromiumState | null
}

/** Something that lets somebody in until it ends. */
export type Credential = {
  whose: string
  /** Unix ms; null: it does not end by itself. */
  endsAtMs: number | null
  renew: string
}

const day = 86_400_000
const endsSoonMs = 30 * day
const endsVerySoonMs = 3 * day

/** How near its end a credential or certificate is. Pure. */
export const credentialFinding = (
  topic: string,
  { whose, endsAtMs, renew }: Credential,
  nowMs: number,
): Finding => {
  if (endsAtMs === null) return ok(topic, `${whose} does not end by itself`)
  const left = endsAtMs - nowMs
  if (left <= 0) return broken(topic, `${whose} ended ${shownAge(-left)} ago.`, renew)
  const message = `${whose} ends in ${shownAge(left)}`
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
  if (!gathered.ok) return [awayFinding(gathered.why, url, own)]
  const { notReady, degraded, tookMs, skewMs, certificateEndsAtMs } = gathered.facts
  const { metrics, lag, agents, chromium } = gathered.facts
  return [
    notReady.length === 0
      ? ok(topic, `${url} is ready, and answers in ${Math.round(tookMs)} ms`)
      : broken(
          topic,
          `${url} is not ready: ${notReady.join(', ')}.`,
          'It becomes ready by itself once those are there; this list says of each what is wrong.',
        ),
    ...degraded.map(({ part, effect }) =>
      warning(
        'degraded',
        `${url} works without ${part}: ${effect}`,
        `It mends by itself once ${part} works; this list says of each what is wrong.`,
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
              renew: 'Renew it where TLS ends.',
            },
            nowMs,
          ),
        ]),
    metricsFinding(url, metrics),
    ...(chromium === null ? [] : [chromiumFinding(chromium)]),
    // where NATS is asked itself it knows all, and this process its own part only
    ...(hasBus
      ? []
      : Object.entries(lag).map(([consumer, waiting]) => lagFinding(consumer, waiting, 0))),
    ...(hasBus ? [] : Object.entries(agents).map(agentsFinding)),
  ]
}

const metricsFinding = (url: string, access: MetricsAccess): Finding => {
  const topic = 'metrics'
  switch (access) {
    case 'open':
      return broken(
        topic,
        `${url}/metrics answers anybody, without a token.`,
        'Set METRICS_TOKEN or METRICS_TOKEN_FILE, and route /metrics to no public address.',
      )
    case 'refused':
      return warning(
        topic,
        `${url}/metrics refuses this command, so lag and agents are unknown here.`,
        'Set METRICS_TOKEN as the control plane has it, or run this on its machine.',
      )
    case 'token':
      return ok(topic, '/metrics answers readers with the token only')
    case 'this machine':
      return ok(topic, '/metrics answers this machine only: METRICS_TOKEN is not set')
  }
}

const chromiumFinding = (state: ChromiumState): Finding => {
  const topic = 'browser'
  switch (state) {
    case 'sandboxed':
      return ok(topic, 'Chromium runs with its sandbox')
    case 'none':
      return ok(topic, 'there is no Chromium, or it is off: browser checks do not run here')
    case 'off':
      return warning(
        topic,
        'Browser checks are off: Chromium does not start with its sandbox here.',
        'The log says why. Allow user namespaces, or set CHROMIUM=off; CHROMIUM_WITHOUT_SANDBOX=yes runs it without.',
      )
    case 'without_sandbox':
      return warning(
        topic,
        'Chromium runs without its sandbox: a page that breaks out of it has the rights of its user.',
        'Allow user namespaces and take CHROMIUM_WITHOUT_SANDBOX away.',
      )
  }
}

const agentsFinding = ([region, count]: [string, number]): Finding =>
  count > 0
    ? ok('agents', `${region}: ${count}`)
    : broken(
        'agents',
        `${region} has no agent: nothing is measured from there.`,
        'Look at the log of the process, and restart it.',
      )

/** Where mail goes. @param gathered null: no SMTP_URL is set */
export const mailFinding = (gathered: Gathered<{ tookMs: number }> | null): Finding => {
  const topic = 'mail'
  if (gathered === null) return ok(topic, 'SMTP_URL is not set: mail is kept on the outbox page')
  return gathered.ok
    ? ok(topic, `the mail server lets us in, in ${Math.round(gathered.facts.tookMs)} ms`)
    : broken(
        topic,
        `The mail server does not let us in: ${gathered.why}.`,
        'Start it, or set SMTP_URL to where it is: its host, port, user and password. Mail waits and is tried again for days.',
      )
}

/** Whether other users of the machine are kept out of the data directory. */
export const filesFinding = (gathered: Gathered<readonly string[]>, path: string): Finding => {
  const topic = 'files'
  if (!gathered.ok) {
    return warning(
      topic,
      `${path} cannot be looked at: ${gathered.why}.`,
      'Run this as the user that the instance runs as.',
    )
  }
  const open = gathered.facts
  return open.length === 0
    ? ok(topic, 'other users of this machine can read no file of DATA_DIR')
    : broken(
        topic,
        `Other users of this machine may read ${open.join(', ')}.`,
        'Restart the instance, which closes them, or run chmod -R go= on each.',
      )
}

/** What is on this machine's disk. */
export type DiskFacts = { path: string; freeBytes: number; totalBytes: number }

export const diskFindings = (gathered: Gathered<DiskFacts>, path: string): Finding[] =>
  gathered.ok
    ? [diskFinding('disk', `DATA_DIR (${path})`, gathered.facts)]
    : [
        warning(
          'disk',
          `${path} cannot be looked at: ${gathered.why}.`,
          'Set DATA_DIR to the folder of the instance.',
        ),
      ]
