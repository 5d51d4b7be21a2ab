import { isIP } from 'node:net'
import { allowNothing } from '@probe-mesh/contracts/target/address'
import type { AllowList } from '@probe-mesh/contracts/target/address'
import { denyNothing } from '@probe-mesh/contracts/target/deny-list'
import { logLevel } from '@probe-mesh/runtime/log-level'
import { parsePrivateTargets } from '@probe-mesh/contracts/target/private-targets'
import { regionCode } from '@probe-mesh/contracts/reading/regions'
import {
  allowedTargets,
  blockedTargets,
  publicAddresses,
} from '@probe-mesh/contracts/target/target-settings'
import type { Rule } from '@probe-mesh/runtime/env'
import { metricsToken } from '@probe-mesh/runtime/metrics-page'
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
} from '@probe-mesh/runtime/setting'
import type { Kind } from '@probe-mesh/runtime/setting'
import { canaryList } from './canaries.ts'
import { targetRequestsPerSecondDefault } from './request/target-rate.ts'
import { canariesDefault } from './run/connectivity.ts'

export const portDefault = 9464

export const spoolBytesDefault = 256 * 1024 * 1024
export const spoolBytesMin = 16 * 1024 * 1024

/** What every agent reads, also those that run in the process of a control plane. */
export const probingEnvironment = {
  SPOOL_BYTES_MAX: withDefault(
    wholeNumber({ min: spoolBytesMin, max: 1e15, unit: 'bytes' }),
    spoolBytesDefault,
    'Size of the spool: readings that wait on disk until they are stored.',
  ),
  TARGET_REQUESTS_PER_SECOND: withDefault(
    wholeNumber({ min: 1, max: 100_000, unit: 'connections/second' }),
    targetRequestsPerSecondDefault,
    'Limit of connections to one address, by all agents of a region together.',
  ),
  CANARIES: withDefault(
    canaryList,
    canariesDefault,
    'Hosts that a probe reaches while its own network works. `none`: the network is not judged.',
    { shown: 'well-known anycast addresses' },
  ),
}

/** What agents that run browser checks read. */
export const browserEnvironment = {
  CHROMIUM: optional(
    path,
    'looked for in the usual places',
    'Path of the Chromium that runs browser checks. `off`: they are off.',
  ),
  CHROMIUM_WITHOUT_SANDBOX: withDefault(
    oneOf('yes', 'no'),
    'no',
    'Whether browser checks run where the sandbox of Chromium does not work. `no`: they are off there.',
  ),
}

/** What a process that runs one agent reads. */
const processEnvironment = {
  ...probingEnvironment,
  DATA_DIR: withDefault(path, '.data', 'Folder of the spool and the stored assignments.'),
  BLOCKED_TARGETS: withDefault(
    blockedTargets,
    denyNothing,
    'Targets that are never probed: names, with all names below them, and networks.',
    { shown: 'none' },
  ),
  JOURNAL: optional(path, 'none', 'File that receives the id of every reading, for an audit.'),
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

/** A URL may contain a password: the problem does not repeat it. */
const natsUrls: Kind<readonly string[]> = list('URLs, nats:// or tls://', (urls) =>
  urls.length > 0 &&
  urls.length <= natsUrlsMax &&
  urls.every((each) => /^(?:nats|tls):$/.test(URL.parse(each)?.protocol ?? ''))
    ? right(urls)
    : wrong(`must be 1 to ${natsUrlsMax} URLs that start with nats:// or tls://, commas between`),
)

/** Every variable that an agent of the mesh reads. */
export const agentEnvironment = {
  REGION: required(regionCode, 'Its region.'),
  AGENT: optional(
    matching(
      'text, 1 to 63 letters, digits, - and _',
      /^[A-Za-z0-9_-]{1,63}$/,
      'must be 1 to 63 letters, digits, hyphens or underscores',
    ),
    'region and host name',
    'Its name. One running agent each, and the same after a restart.',
  ),
  NATS_URL: required(natsUrls, 'NATS: one server, or several of a cluster.', {
    problem: 'is required: where the NATS server is, such as nats://127.0.0.1:4222',
  }),
  AGENT_CREDENTIALS: optional(
    path,
    'no credentials',
    'File written by `admin agent enroll`. It is read again at every connect.',
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
    'Addresses that its requests come from, shown at `/probes`.',
    { shown: 'unknown' },
  ),
  PUBLIC_URL: optional(
    url('http', 'https'),
    'none',
    'URL of the control plane. The User-Agent of probes names `/probes` there.',
  ),
  ...browserEnvironment,
  ...processEnvironment,
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'))

/** A token is sent to it: never in the clear, except on the machine itself. */
const isMeshUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username, password, search, hash } = new URL(text)
  if (username !== '' || password !== '' || search !== '' || hash !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}

const meshUrl: Kind<string> = {
  form: 'URL, https://',
  parse: (text) =>
    isMeshUrl(text)
      ? right(text.replace(/\/+$/, ''))
      : wrong('must be the https:// address of the service, such as https://mesh.example.org'),
}

const privateTargets: Kind<AllowList> = list('CIDRs, addresses and host names', (entries) => {
  const parsed = parsePrivateTargets(entries)
  return parsed.ok ? right(parsed.allow) : parsed
})

/** Every variable that a private agent reads. */
export const privateAgentEnvironment = {
  MESH_URL: required(meshUrl, 'The service. It makes this agent a private one.'),
  // a missing one is found where the file is read
  AGENT_CREDENTIALS: optional(path, 'required', 'File with the token of the agent.'),
  PRIVATE_TARGETS: withDefault(
    privateTargets,
    allowNothing,
    'What it may probe although it is not public. Loopback, link-local and metadata addresses, and those of this machine, have to be named one by one.',
    { shown: 'none' },
  ),
  ...processEnvironment,
}

/** Variables of an agent of the mesh that a private agent refuses, with what decides instead. */
const ofTheMesh: Readonly<Record<string, string>> = {
  REGION: 'its token says which region it is',
  AGENT: 'its token says who it is',
  NATS_URL: 'MESH_URL says where the service is',
  TARGET_ALLOW: 'PRIVATE_TARGETS says what it may reach',
}

export const privateAgentRule: Rule = (textOf) =>
  Object.entries(ofTheMesh).flatMap(([name, instead]) =>
    textOf(name) === null ? [] : [`${name} is not for a private agent: ${instead}`],
  )
