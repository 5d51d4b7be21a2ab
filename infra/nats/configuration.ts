import {
  agentInboxPrefix,
  agentPermissions,
  agentServices,
  controlPlanePermissions,
} from '@probe-mesh/bus/nats/permissions'
import type { Permissions } from '@probe-mesh/bus/nats/permissions'
import { Region } from '@probe-mesh/contracts/regions'
import { subjects } from '@probe-mesh/contracts/subjects'

/** Of one message: as large as the stream of readings takes. */
const payloadBytesMax = 1024 * 1024
const connectionsMax = 4_096
const subscriptionsMax = 1_000
/** Of a client that reads too slowly, before it is cut off. */
const pendingBytesMax = 64 * 1024 * 1024
const memoryStoreBytesMax = 64 * 1024 * 1024
const loginSecondsMax = 5

export type ServerPlan = {
  /** host:port */
  listen: string
  /** Where JetStream keeps its files. */
  storeDir: string
  /** Public keys, `U` and 55 characters. */
  controlPlaneKey: string
  agents: readonly { region: string; key: string }[]
}

/**
 * The configuration of a server of the mesh: who may connect, by public key, and what each may do.
 * Each region is an account of its own, since permissions alone do not part them: the server
 * publishes replies on nobody's behalf, so that an agent could name as its reply subject what it
 * may not publish to, such as the purge of a stream. Between accounts a reply stays at home.
 * JetStream syncs to disk as it does by default.
 * @throws RangeError on a region or a key of the wrong form
 */
export const serverConfiguration = (plan: ServerPlan): string => {
  const regions = plan.agents.map(({ region }) => checkedRegion(region))
  return `\
# Written by "npm run nats-config", which writes it anew each time. What else a server needs, such
# as tls, belongs into a file of its own that has this line: include "./nats-server.conf"

listen: ${quoted(plan.listen)}
max_payload: ${payloadBytesMax}
max_connections: ${connectionsMax}
max_subscriptions: ${subscriptionsMax}
max_pending: ${pendingBytesMax}

jetstream {
  store_dir: ${quoted(plan.storeDir)}
  max_memory_store: ${memoryStoreBytesMax}
}

authorization {
  timeout: ${loginSecondsMax}
}

accounts {
  ${meshAccount} {
    jetstream: enabled
    users: [
${user('the control planes', plan.controlPlaneKey, controlPlanePermissions())}
    ]
    exports: [
${regions.flatMap(meshExports).join('\n')}
    ]
    imports: [
${regions.map(runImport).join('\n')}
    ]
  }
${plan.agents.map(({ region, key }) => regionBlock(checkedRegion(region), key)).join('\n')}
}
`
}

const meshAccount = 'MESH'
const regionAccount = (region: Region): string => `REGION_${region}`

const line = (text: string): string => `      ${text}`

const exportTo = (account: string, kind: 'service' | 'stream', subject: string): string =>
  line(`{ ${kind}: ${quoted(subject)}, accounts: [${account}] }`)

const importFrom = (account: string, kind: 'service' | 'stream', subject: string): string =>
  `${kind}: { account: ${account}, subject: ${quoted(subject)} }`

const runImport = (region: Region): string =>
  line(`{ ${importFrom(regionAccount(region), 'service', subjects.run(region))} }`)

/** Where the watches of a region are delivered. */
const deliveries = (region: Region): string => `${agentInboxPrefix(region)}.>`

const meshExports = (region: Region): string[] => [
  ...agentServices(region).map(({ subject }) =>
    exportTo(regionAccount(region), 'service', subject),
  ),
  exportTo(regionAccount(region), 'stream', deliveries(region)),
]

const regionImports = (region: Region): string[] => [
  ...agentServices(region).map(({ subject, local }) => {
    const from = importFrom(meshAccount, 'service', subject)
    return line(local === subject ? `{ ${from} }` : `{ ${from}, to: ${quoted(local)} }`)
  }),
  line(`{ ${importFrom(meshAccount, 'stream', deliveries(region))} }`),
]

const regionBlock = (region: Region, key: string): string => `\
  ${regionAccount(region)} {
    users: [
${user(`the agents of ${region}`, key, agentPermissions(region))}
    ]
    imports: [
${regionImports(region).join('\n')}
    ]
    exports: [
${exportTo(meshAccount, 'service', subjects.run(region))}
    ]
  }`

const keyForm = /^U[A-Z2-7]{55}$/

const checkedRegion = (region: string): Region => {
  if (Region.safeParse(region).success) return region
  throw new RangeError(`${JSON.stringify(region)} is no region: three lower-case letters, like fra`)
}

const user = (who: string, key: string, permissions: Permissions): string => {
  if (!keyForm.test(key)) throw new RangeError(`the key of ${who} is not the public key of a user`)
  const { publish, subscribe, allowResponses: replies } = permissions
  return `\
    # ${who}
    {
      nkey: ${key}
      permissions: {
        publish: { allow: ${list(publish)} }
        subscribe: { allow: ${list(subscribe)} }
${replies === null ? '' : `        allow_responses: { max: ${replies.max}, expires: "${replies.expiresSeconds}s" }\n`}\
      }
    }`
}

const list = (subjects: readonly string[]): string =>
  `[\n${subjects.map((subject) => `          ${quoted(subject)}\n`).join('')}        ]`

/** The server's strings know the escapes of JSON that a path or a subject can need. */
const quoted = (text: string): string => JSON.stringify(text)
