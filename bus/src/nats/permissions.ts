import { subjects } from '@probe-mesh/contracts/mesh/subjects'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { runQueue } from './runs.ts'
import { bucketStream, bucketSubject } from './topology.ts'

/**
 * The permissions of each holder of credentials on the server (S-2808). Nobody may reply to whatever it receives
 * (`allow_responses`): for such a connection a server notes the reply subject of every message that it delivers, those
 * of streams too, and servers before 2.10.24 look through all notes at each further message. So the subjects of answers
 * are listed. A region has one secret, so its
 * agents trust one another: each can read the region's assignments and marks, end another agent's watch or
 * presence, and answer its runs. Agents of other regions cannot. One thing the server does not separate: a
 * watch can be delivered to a subject that other agents subscribe to, so receivers of runs and messages must
 * validate them.
 */

/** In the form of the server's configuration. A subscription to `subject queue` is limited to that queue. */
export type Permissions = {
  publish: readonly string[]
  subscribe: readonly string[]
}

/** Private to the region: agents of another region cannot read its replies. */
export const agentInboxPrefix = (region: Region): string => `_INBOX_${region}`
export const controlPlaneInboxPrefix = '_INBOX_control'

/** The prefix of the mesh's JetStream in an agent's account: `$JS.API` is each account's own. */
const agentApiPrefix = '$JS.mesh.API'

/** How a connection is opened with an agent's credentials. */
export const agentConnection = (region: Region) => ({
  inboxPrefix: agentInboxPrefix(region),
  apiPrefix: agentApiPrefix,
})

/** How a connection is opened with a control plane's credentials. */
export const controlPlaneConnection = { inboxPrefix: controlPlaneInboxPrefix } as const

/** A service of the mesh for a region's account, and its local name there. */
type SharedService = { subject: string; local: string }

const api = (rest: string): SharedService => ({
  subject: `$JS.API.${rest}`,
  local: `${agentApiPrefix}.${rest}`,
})
const same = (subject: string): SharedService => ({ subject, local: subject })

/** A watch of a bucket: an ordered push consumer with a filter, recreated after a gap. */
const watching = (bucket: string, keys: string): SharedService[] => {
  const stream = bucketStream(bucket)
  return [
    api(`CONSUMER.CREATE.${stream}.*.${bucketSubject(bucket, keys)}`),
    api(`CONSUMER.DELETE.${stream}.*`),
    same(`$JS.FC.${stream}.>`),
  ]
}

/** All services of the mesh that the agents of one region may use. */
export const agentServices = (region: Region): SharedService[] => {
  const presence = subjects.presence(region)
  const key = bucketSubject(presence, '*')
  return [
    same(`mesh.readings.*.${region}`),
    // The client writes keys under its prefix when that is not the usual one.
    { subject: key, local: `${agentApiPrefix}.${key}` },
    api(`STREAM.INFO.${bucketStream(presence)}`),
    api(`STREAM.MSG.GET.${bucketStream(presence)}`),
    ...watching(subjects.assignments(region), '>'),
    ...watching(subjects.persisted(region), '*.*'),
  ]
}

/** The replies between accounts; each request has a new subject, which only its responders get. */
const serviceReplies = '_R_.>'

/** The permissions of one region's agents in their account. */
export const agentPermissions = (region: Region): Permissions => ({
  publish: [...agentServices(region).map(({ local }) => local), serviceReplies],
  subscribe: [`${agentInboxPrefix(region)}.>`, `${subjects.run(region)} ${runQueue}`],
})

/**
 * The permissions of a region's leaf node: those of its agents, in their account. A server forwards the
 * interest of a queue group only if it may subscribe to the subject itself, and NATS 2.9 looks for the subject with
 * the group behind it, which only a wildcard matches; the account has the runs of no other region.
 */
export const leafPermissions = (region: Region): Permissions => ({
  publish: agentPermissions(region).publish,
  subscribe: [`${agentInboxPrefix(region)}.>`, subjects.run('*'), serviceReplies],
})

/**
 * The permissions of a control plane: the whole mesh, since it also acts for private agents, except the
 * removal of a stream. It is trusted, so its permissions are by kind and not by name.
 */
export const controlPlanePermissions = (): Permissions => ({
  publish: [
    ...['INFO', 'CREATE', 'UPDATE', 'PURGE', 'MSG.GET'].map((act) => `$JS.API.STREAM.${act}.*`),
    '$JS.API.CONSUMER.CREATE.>',
    '$JS.API.CONSUMER.INFO.*.*',
    '$JS.API.CONSUMER.DELETE.*.*',
    ...[subjects.readingsStream, subjects.errorsStream].flatMap((stream) => [
      `$JS.API.CONSUMER.MSG.NEXT.${stream}.*`,
      `$JS.ACK.${stream}.>`,
    ]),
    subjects.errors('*'),
    '$JS.FC.>',
    '$KV.*.>',
    'mesh.run.*',
    // for private agents, which it serves and which have no access to the bus
    'mesh.readings.*.*',
    // the answers of private agents
    `${controlPlaneInboxPrefix}.>`,
    subjects.events('>'),
  ],
  subscribe: [`${controlPlaneInboxPrefix}.>`, subjects.events('>'), `mesh.run.* ${runQueue}`],
})
