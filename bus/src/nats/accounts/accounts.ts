import {
  encodeAccount,
  encodeOperator,
  encodeUser,
  newScopedSigner,
  type Account,
  type Export,
  type Import,
  type OperatorLimits,
  type SigningKey,
} from '@nats-io/jwt'
import { subjects } from '@probe-mesh/contracts/mesh/subjects'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { regionTag } from '../credentials.ts'
import {
  agentInboxPrefix,
  agentPermissions,
  agentServices,
  controlPlanePermissions,
  leafPermissions,
  type Permissions,
} from '../permissions.ts'
import { publicKeyOfSeed } from '../seeds.ts'

/** The secrets of an account: its own, and the signing key of its users, which defines their permissions. */
export type AccountSeeds = { account: string; users: string }

/** The secrets that control who may connect to the NATS servers of a mesh. */
export type MeshSeeds = {
  operator: string
  /** The system account, which receives updates of the other accounts. */
  system: string
  /** The control planes' account, which owns the streams. */
  mesh: AccountSeeds
  /** Each region's account. */
  regions: ReadonlyMap<Region, AccountSeeds>
}

/** Public keys of revoked users, and when each was revoked, Unix ms. */
export type Revocations = ReadonlyMap<string, number>

/** The signed permissions of an account, and its public key. */
export type AccountToken = { key: string; token: string }

const unlimited = -1
const seconds = (ms: number): number => Math.floor(ms / 1_000)

const limits: OperatorLimits = {
  subs: unlimited,
  data: unlimited,
  payload: unlimited,
  conn: unlimited,
  leaf: unlimited,
  imports: unlimited,
  exports: unlimited,
  wildcards: true,
}
const streamLimits: OperatorLimits = {
  mem_storage: unlimited,
  disk_storage: unlimited,
  streams: unlimited,
  consumer: unlimited,
}

/** The token of the operator, who signs the accounts. */
export const operatorToken = ({ operator, system }: MeshSeeds): Promise<string> =>
  encodeOperator('probe-mesh', operator, { system_account: publicKeyOfSeed(system) })

export const systemAccountToken = (seeds: MeshSeeds): Promise<AccountToken> =>
  sign(seeds, seeds.system, 'SYS', { limits })

/**
 * The account of the control planes, which exports to each region the services its agents may use.
 * @throws RangeError for an unknown region
 */
export const meshAccountToken = (seeds: MeshSeeds, regions: readonly Region[]): Promise<AccountToken> => {
  return sign(seeds, seeds.mesh.account, 'MESH', {
    limits: { ...limits, ...streamLimits },
    signing_keys: [signer(seeds.mesh, 'control-plane', controlPlanePermissions())],
    exports: regions.flatMap(meshExports),
    imports: regions.map((region) => ({
      name: `runs of ${region}`,
      type: 'service',
      subject: subjects.run(region),
      account: publicKeyOfSeed(seedsOf(seeds, region).account),
    })),
  })
}

/**
 * A region's account. Each region needs its own, since permissions alone do not separate them: the server
 * publishes replies without checking permissions, so an agent could use a forbidden subject, such as the
 * purge of a stream, as its reply subject. Between accounts a reply stays in the requester's account.
 * @param revoked agents of the region whose credentials are revoked
 * @throws RangeError for an unknown region
 */
export const regionAccountToken = (
  seeds: MeshSeeds,
  region: Region,
  revoked: Revocations,
): Promise<AccountToken> => {
  const own = seedsOf(seeds, region)
  return sign(seeds, own.account, `REGION_${region}`, {
    limits,
    signing_keys: [signer(own, 'agent', agentPermissions(region))],
    imports: regionImports(region, publicKeyOfSeed(seeds.mesh.account)),
    exports: [exported('service', subjects.run(region))],
    revocations: Object.fromEntries([...revoked].map(([key, atMs]) => [key, seconds(atMs)])),
  })
}

/**
 * A region's account on its leaf node: the same users with the same permissions and no imports, so that their
 * requests to the mesh pass on to the servers that have it. Its JetStream is separate.
 * @throws RangeError for an unknown region
 */
export const leafAccountToken = (
  seeds: MeshSeeds,
  region: Region,
  revoked: Revocations,
): Promise<AccountToken> => {
  const own = seedsOf(seeds, region)
  return sign(seeds, own.account, `REGION_${region}`, {
    limits: { ...limits, ...streamLimits },
    signing_keys: [signer(own, 'agent', agentPermissions(region))],
    revocations: Object.fromEntries([...revoked].map(([key, atMs]) => [key, seconds(atMs)])),
  })
}

/** The account of a region that has left the mesh: it admits no connection. */
export const closedAccountToken = (seeds: MeshSeeds, region: Region): Promise<AccountToken> =>
  sign(seeds, seedsOf(seeds, region).account, `REGION_${region}`, {
    limits: { ...limits, conn: 0 },
  })

/** The user that sends account updates to the servers. @param user the seed of the user */
export const systemUserToken = ({ system }: Pick<MeshSeeds, 'system'>, user: string): Promise<string> =>
  encodeUser('operator', user, system)

/** @param user the seed of the user */
export const controlPlaneToken = ({ mesh }: MeshSeeds, user: string): Promise<string> =>
  userToken(mesh, { name: 'control planes', user, expiresAtMs: null })

/**
 * The token of one agent, valid in its region only. Its permissions are part of the region's account, so they
 * change without new credentials.
 * @param agent.user the seed of the user
 * @param agent.expiresAtMs null: it does not expire
 * @throws RangeError for an unknown region
 */
export const agentToken = (
  seeds: MeshSeeds,
  agent: { region: Region; name: string; user: string; expiresAtMs: number | null },
): Promise<string> => userToken(seedsOf(seeds, agent.region), agent, [regionTag + agent.region])

/**
 * The token of a region's leaf node. Its permissions are in the token, since those of the region's users are
 * for agents.
 * @param leaf.user the seed of the user
 * @throws RangeError for an unknown region
 */
export const leafToken = (
  seeds: MeshSeeds,
  leaf: { region: Region; name: string; user: string; expiresAtMs: number },
): Promise<string> =>
  encodeUser(
    leaf.name,
    leaf.user,
    seedsOf(seeds, leaf.region).account,
    granted(leafPermissions(leaf.region)),
    { exp: seconds(leaf.expiresAtMs) },
  )

const userToken = (
  { account, users }: AccountSeeds,
  who: { name: string; user: string; expiresAtMs: number | null },
  tags: string[] = [],
): Promise<string> =>
  encodeUser(who.name, who.user, publicKeyOfSeed(account), tags.length === 0 ? {} : { tags }, {
    signer: users,
    scopedUser: true,
    ...(who.expiresAtMs === null ? {} : { exp: seconds(who.expiresAtMs) }),
  })

const seedsOf = ({ regions }: MeshSeeds, region: Region): AccountSeeds => {
  const seeds = regions.get(region)
  if (seeds === undefined) throw new RangeError(`unknown region ${region}`)
  return seeds
}

const sign = async (
  { operator }: MeshSeeds,
  account: string,
  name: string,
  what: Partial<Account>,
): Promise<AccountToken> => ({
  key: publicKeyOfSeed(account),
  token: await encodeAccount(name, account, what, { signer: operator }),
})

/** The users that this key signs have these permissions. */
const signer = ({ users }: AccountSeeds, role: string, permissions: Permissions): SigningKey => {
  const { template, ...key } = newScopedSigner(publicKeyOfSeed(users), role, granted(permissions))
  // the library adds a right to reply to whatever is received
  delete template.resp
  return { ...key, template }
}

const granted = ({ publish, subscribe }: Permissions) => ({
  pub: { allow: [...publish] },
  sub: { allow: [...subscribe] },
  subs: unlimited,
  data: unlimited,
  payload: unlimited,
})

const exported = (type: 'service' | 'stream', subject: string): Export => ({
  name: subject,
  type,
  subject,
})

/** The subjects where a region's watches are delivered. */
const deliveries = (region: Region): string => `${agentInboxPrefix(region)}.>`

const meshExports = (region: Region): Export[] => [
  ...agentServices(region).map(({ subject }) => exported('service', subject)),
  exported('stream', deliveries(region)),
]

const regionImports = (region: Region, account: string): Import[] => [
  ...agentServices(region).map(({ subject, local }): Import => ({
    name: subject,
    type: 'service',
    subject,
    account,
    ...(local === subject ? {} : { local_subject: local }),
  })),
  { name: deliveries(region), type: 'stream', subject: deliveries(region), account },
]
