import { encodeAccount, encodeOperator, encodeUser, newScopedSigner } from '@nats-io/jwt'
import type { Account, Export, Import, OperatorLimits, SigningKey } from '@nats-io/jwt'
import { subjects } from '@probe-mesh/contracts/mesh/subjects'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { regionTag } from '../credentials.ts'
import {
  agentInboxPrefix,
  agentPermissions,
  agentServices,
  controlPlanePermissions,
  leafPermissions,
} from '../permissions.ts'
import type { Permissions } from '../permissions.ts'
import { publicKeyOfSeed } from '../seeds.ts'

/** The secrets of an account: its own, and the one that signs its users, who may do what it says of them. */
export type AccountSeeds = { account: string; users: string }

/** The secrets by which a mesh says who may connect to its NATS servers. */
export type MeshSeeds = {
  operator: string
  /** Of the servers' own account, which is told what the other accounts may do. */
  system: string
  /** Of the account of the control planes, which has the streams. */
  mesh: AccountSeeds
  /** Of each region's account. */
  regions: ReadonlyMap<Region, AccountSeeds>
}

/** Public keys of users that were revoked, and since when, Unix ms. */
export type Revocations = ReadonlyMap<string, number>

/** A signed statement of what an account may do, and the public key that it is known by. */
export type AccountToken = { key: string; token: string }

const unlimited = -1
const nanoseconds = 1_000_000_000
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

/** Who signs the accounts. */
export const operatorToken = ({ operator, system }: MeshSeeds): Promise<string> =>
  encodeOperator('probe-mesh', operator, { system_account: publicKeyOfSeed(system) })

export const systemAccountToken = (seeds: MeshSeeds): Promise<AccountToken> =>
  sign(seeds, seeds.system, 'SYS', { limits })

/**
 * The account of the control planes: it shares with each region what its agents may ask for.
 * @throws RangeError where there is no such region
 */
export const meshAccountToken = (
  seeds: MeshSeeds,
  regions: readonly Region[],
): Promise<AccountToken> => {
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
 * A region's account. Each region is one of its own, since permissions alone do not part them: the
 * server publishes replies on nobody's behalf, so that an agent could name as its reply subject what
 * it may not publish to, such as the purge of a stream. Between accounts a reply stays at home.
 * @param revoked agents of the region whose credentials count no more
 * @throws RangeError where there is no such region
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
 * A region's account as its leaf node has it: the same users with the same rights, and nothing shared,
 * so that what they ask of the mesh goes on to the servers that have it. Its JetStream is its own.
 * @throws RangeError where there is no such region
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

/** The account of a region that is not part of the mesh any more: nobody gets in by it. */
export const closedAccountToken = (seeds: MeshSeeds, region: Region): Promise<AccountToken> =>
  sign(seeds, seedsOf(seeds, region).account, `REGION_${region}`, {
    limits: { ...limits, conn: 0 },
  })

/** Who tells the servers of accounts that changed. @param user the seed of the user */
export const systemUserToken = (
  { system }: Pick<MeshSeeds, 'system'>,
  user: string,
): Promise<string> => encodeUser('operator', user, system)

/** @param user the seed of the user */
export const controlPlaneToken = ({ mesh }: MeshSeeds, user: string): Promise<string> =>
  userToken(mesh, { name: 'control planes', user, expiresAtMs: null })

/**
 * What one agent connects with: it can do what its region needs and nothing to another. What that is
 * stands in the region's account, so that it changes without new credentials.
 * @param agent.user the seed of the user
 * @param agent.expiresAtMs null: it does not end by itself
 * @throws RangeError where there is no such region
 */
export const agentToken = (
  seeds: MeshSeeds,
  agent: { region: Region; name: string; user: string; expiresAtMs: number | null },
): Promise<string> => userToken(seedsOf(seeds, agent.region), agent, [regionTag + agent.region])

/**
 * What the leaf node of a region connects with. Its rights stand in the token, since those of the
 * region's users are an agent's.
 * @param leaf.user the seed of the user
 * @throws RangeError where there is no such region
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
  if (seeds === undefined) throw new RangeError(`there is no region ${region}`)
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

/** Whoever is signed by it may do so much. */
const signer = ({ users }: AccountSeeds, role: string, permissions: Permissions): SigningKey =>
  newScopedSigner(publicKeyOfSeed(users), role, granted(permissions))

const granted = ({ publish, subscribe, allowResponses: replies }: Permissions) => {
  const resp = replies && { max: replies.max, ttl: replies.expiresSeconds * nanoseconds }
  return {
    pub: { allow: [...publish] },
    sub: { allow: [...subscribe] },
    subs: unlimited,
    data: unlimited,
    payload: unlimited,
    ...(resp === null ? {} : { resp }),
  }
}

const exported = (type: 'service' | 'stream', subject: string): Export => ({
  name: subject,
  type,
  subject,
})

/** Where the watches of a region are delivered. */
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
