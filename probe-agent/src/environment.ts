import { isMeshUrl } from '@probe-mesh/contracts/agent/agent'
import { allowNothing, type AllowList } from '@probe-mesh/contracts/target/address'
import { denyNothing } from '@probe-mesh/contracts/target/deny-list'
import { regionKeyCharactersMin } from '@probe-mesh/contracts/agent/agent-seal'
import { logLevel } from '@probe-mesh/runtime/log-level'
import { parsePrivateTargets } from '@probe-mesh/contracts/target/private-targets'
import { regionCode } from '@probe-mesh/contracts/reading/regions'
import { allowedTargets, blockedTargets, publicAddresses } from '@probe-mesh/contracts/target/target-settings'
import type { Rule } from '@probe-mesh/runtime/env'
import { metricsToken } from '@probe-mesh/runtime/metrics-page'
import { networkEnvironment } from '@probe-mesh/runtime/network'
import {
  list,
  matching,
  oneOf,
  optional,
  path,
  port,
  required,
  right,
  text,
  url,
  wholeNumber,
  withDefault,
  wrong,
  type Kind,
} from '@probe-mesh/runtime/setting'
import { targetRequestsPerSecondDefault } from './request/target-rate.ts'
import { canariesDefault, type Canary } from './run/connectivity.ts'
import { withoutEnd } from '@probe-mesh/runtime/without-end'

const canariesMax = 16

/** `CANARIES`: hosts that are never all unreachable while the probe's network works. */
export const canaryList: Kind<readonly Canary[]> = {
  form: `up to ${canariesMax} host:port with commas between, or none`,
  parse: (text) => {
    if (text === 'none') return right([])
    const parts = text.split(',').map((part) => part.trim())
    const canaries: Canary[] = []
    const problems: string[] = []
    if (parts.length > canariesMax) problems.push(`takes at most ${canariesMax} addresses`)
    for (const part of parts) {
      const match = /^(?:\[([0-9a-fA-F:]+)\]|([^\s:[\]]+)):(\d{1,5})$/.exec(part)
      const port = Number(match?.[3])
      if (match === null || port < 1 || port > 65_535) {
        problems.push(`must be host:port pairs, or none; ${part} is neither`)
      } else canaries.push({ host: match[1] ?? match[2] ?? '', port })
    }
    return problems.length > 0 ? wrong(...problems) : right(canaries)
  },
}

export const portDefault = 9464

export const spoolBytesDefault = 256 * 1024 * 1024
export const spoolBytesMin = 16 * 1024 * 1024

/** Settings of every agent, including those inside a control plane. */
export const probingEnvironment = {
  SPOOL_BYTES_MAX: withDefault(
    wholeNumber({ min: spoolBytesMin, max: 1e15, unit: 'bytes' }),
    spoolBytesDefault,
    'Size of the spool: readings on disk that are not stored yet.',
  ),
  TARGET_REQUESTS_PER_SECOND: withDefault(
    wholeNumber({ min: 1, max: 100_000, unit: 'connections/second' }),
    targetRequestsPerSecondDefault,
    'Limit of connections to one address by all agents of a region together.',
  ),
  CANARIES: withDefault(
    canaryList,
    canariesDefault,
    'Hosts that are reachable while the network of the probe works. `none`: the network is not checked.',
    { shown: 'three public resolvers and Wikipedia, by name' },
  ),
}

/** Settings of agents that run browser checks. */
export const browserEnvironment = {
  CHROMIUM: optional(
    path,
    'searched in the usual places',
    'Path of the Chromium for browser checks. `off`: no browser checks.',
  ),
  CHROMIUM_WITHOUT_SANDBOX: withDefault(
    oneOf('yes', 'no'),
    'no',
    'Run browser checks also when the sandbox of Chromium does not work.',
  ),
}

/** Settings of a process that runs one agent. */
const processEnvironment = {
  ...probingEnvironment,
  DATA_DIR: withDefault(path, '.data', 'Folder of the spool and the cached assignments.'),
  BLOCKED_TARGETS: withDefault(
    blockedTargets,
    denyNothing,
    'Targets that are never probed: names, with all names below them, and networks.',
    { shown: 'none' },
  ),
  JOURNAL: optional(path, 'none', 'File for the id of each reading, for an audit.'),
  HOST: withDefault(text, '127.0.0.1', 'Address of `/healthz`, `/readyz` and `/metrics`.'),
  PORT: withDefault(port, portDefault, 'Port of `/healthz`, `/readyz` and `/metrics`.'),
  METRICS_TOKEN: optional(
    metricsToken,
    'only this machine may read',
    'Token that readers of `/metrics` send as `Authorization: Bearer`.',
    { isSecret: true },
  ),
  LOG_LEVEL: withDefault(logLevel, 'info', 'Lowest level that is logged.'),
}

const natsUrlsMax = 16

/** The problem does not repeat a URL, which may contain a password. */
const natsUrls: Kind<readonly string[]> = list('URLs, nats:// or tls://', (urls) =>
  urls.length > 0 &&
  urls.length <= natsUrlsMax &&
  urls.every((each) => /^(?:nats|tls):$/.test(URL.parse(each)?.protocol ?? ''))
    ? right(urls)
    : wrong(`must be 1 to ${natsUrlsMax} URLs that start with nats:// or tls://, separated by commas`),
)

/** Every variable that a mesh agent reads. */
export const agentEnvironment = {
  REGION: required(regionCode, 'Region of the agent.'),
  AGENT: optional(
    matching(
      'text, 1 to 63 letters, digits, - and _',
      /^[A-Za-z0-9_-]{1,63}$/,
      'must be 1 to 63 letters, digits, hyphens or underscores',
    ),
    'region and host name',
    'Name of the agent, unique among running agents and stable across restarts.',
  ),
  NATS_URL: required(natsUrls, 'URLs of NATS: one server, or several of a cluster.', {
    problem: 'is required: the URL of the NATS server, such as nats://127.0.0.1:4222',
  }),
  AGENT_CREDENTIALS: optional(
    path,
    'no credentials',
    'File written by `admin agent enroll`. The agent reads it at each connect.',
  ),
  REGION_KEY: optional(
    matching(
      `text, at least ${regionKeyCharactersMin} characters`,
      // linear: it only counts
      new RegExp(`^.{${regionKeyCharactersMin},}$`),
      `must be at least ${regionKeyCharactersMin} characters`,
    ),
    'checks with secrets are not measured',
    'Key of the region, the same on its control planes and agents. It opens the secrets of checks.',
    { isSecret: true },
  ),
  TARGET_ALLOW: withDefault(
    allowedTargets,
    allowNothing,
    'Networks that may be probed although they are not public. `CIDR@account id` allows one to the checks of that account.',
    { shown: 'none' },
  ),
  PUBLIC_ADDRESSES: withDefault(
    publicAddresses,
    [],
    'Source addresses of its requests, shown at `/probes`.',
    { shown: 'unknown' },
  ),
  PUBLIC_URL: optional(
    url('http', 'https'),
    'none',
    'URL of the control plane. The User-Agent of probes links to its `/probes` page.',
  ),
  ...browserEnvironment,
  ...processEnvironment,
}

const meshUrl: Kind<string> = {
  form: 'URL, https://',
  parse: (text) =>
    isMeshUrl(text)
      ? right(withoutEnd(text, '/'))
      : wrong('must be the https:// URL of the service, such as https://mesh.example.org'),
}

const privateTargets: Kind<AllowList> = list('CIDRs, addresses and host names', (entries) => {
  const parsed = parsePrivateTargets(entries)
  return parsed.ok ? right(parsed.allow) : parsed
})

/** Every variable that a private agent reads. */
export const privateAgentEnvironment = {
  MESH_URL: required(meshUrl, 'URL of the service. It makes this agent a private agent.'),
  // a missing file is reported when it is read
  AGENT_CREDENTIALS: optional(path, 'required', 'File with the token of the agent.'),
  PRIVATE_TARGETS: withDefault(
    privateTargets,
    allowNothing,
    'Targets that may be probed although they are not public. Loopback, link-local, metadata and own addresses must be listed one by one.',
    { shown: 'none' },
  ),
  ...networkEnvironment,
  ...processEnvironment,
}

/** Variables of a mesh agent that a private agent rejects, and what replaces them. */
const ofTheMesh: Readonly<Record<string, string>> = {
  REGION: 'the token contains the region',
  AGENT: 'the token contains the name',
  NATS_URL: 'use MESH_URL',
  REGION_KEY: 'the token is the key',
  TARGET_ALLOW: 'use PRIVATE_TARGETS',
}

export const privateAgentRule: Rule = (textOf) =>
  Object.entries(ofTheMesh).flatMap(([name, instead]) =>
    textOf(name) === null ? [] : [`${name} is not allowed for a private agent: ${instead}`],
  )
