import { access, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import {
  leafAccountToken,
  operatorToken,
  systemAccountToken,
} from '@probe-mesh/bus/nats/accounts/accounts'
import type { AccountToken, MeshSeeds } from '@probe-mesh/bus/nats/accounts/accounts'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { LeafArguments } from './arguments.ts'
import { accountsConfiguration, leafConfiguration } from './configuration.ts'
import { enroll } from './enroll.ts'
import { keepKeyring, replaceFile } from './keyring.ts'
import type { KeptFile } from './keyring.ts'
import { leafName, readRegister, revocationsOf } from './register.ts'
import type { Register } from './register.ts'

/** For as long as an agent's: it is one more that is let in, and can be revoked like one. */
const credentialDays = 365
const ownerFolder = 0o700

/** All that the leaf node of a region is given. */
export const leafFolder = (folder: string, region: Region): string => join(folder, `leaf-${region}`)

export type GeneratedLeaf = { folder: string; configuration: string; files: KeptFile[] }

/**
 * Writes what the leaf node of a region is started with, beside the files of the mesh: its
 * configuration, its accounts, and credentials that are kept where they are there.
 * @throws RangeError where there is no such region, or the leaf node is let in by other files
 */
export const generateLeaf = async (
  wanted: LeafArguments,
  nowMs: number,
): Promise<GeneratedLeaf> => {
  const { outDir, region, listen, storeDir, tls, hub, hubAuthority } = wanted
  const register = await readRegister(outDir)
  if (!register.regions.includes(region)) {
    const known = register.regions.join(', ') || 'run nats-config --regions first'
    throw new RangeError(`${region} is no region of ${outDir}: ${known}`)
  }
  const { seeds } = await keepKeyring(outDir, register.regions)
  const folder = leafFolder(outDir, region)
  await mkdir(folder, { recursive: true, mode: ownerFolder })
  const credentials = join(folder, 'leaf.creds')
  const isThere = await exists(credentials)
  if (!isThere) {
    const input = { region, name: leafName(region), days: credentialDays, out: credentials }
    await enroll(outDir, { ...input, isRotation: false }, nowMs)
  }
  const [, { key }] = await leafAccounts(seeds, register, region)
  await writeLeafAccounts(outDir, seeds, register, region)
  const configuration = join(folder, 'nats-server.conf')
  const plan = leafConfiguration({
    region,
    listen,
    storeDir,
    tls,
    hub,
    hubAuthority,
    accountsDir: join(storeDir, 'accounts'),
    operatorToken: await operatorToken(seeds),
    account: key,
    credentials: wanted.credentials ?? credentials,
  })
  await replaceFile(configuration, plan)
  return {
    folder,
    configuration,
    files: [{ path: credentials, was: isThere ? 'kept' : 'written' }],
  }
}

/** The accounts that a leaf node knows: the servers' own and its region's. */
export const leafAccounts = async (
  seeds: MeshSeeds,
  { agents }: Register,
  region: Region,
): Promise<[AccountToken, AccountToken]> => [
  await systemAccountToken(seeds),
  await leafAccountToken(seeds, region, revocationsOf(agents, region)),
]

/** Whether the region has a leaf node that these files are of. */
export const hasLeaf = (folder: string, region: Region): Promise<boolean> =>
  exists(leafFolder(folder, region))

/** Brings the files of every leaf node that has some to what the register says. */
export const refreshLeaves = async (
  folder: string,
  seeds: MeshSeeds,
  register: Register,
): Promise<void> => {
  for (const region of register.regions) {
    if (!(await hasLeaf(folder, region))) continue
    await writeLeafAccounts(folder, seeds, register, region)
  }
}

const writeLeafAccounts = async (
  folder: string,
  seeds: MeshSeeds,
  register: Register,
  region: Region,
): Promise<void> =>
  replaceFile(
    join(leafFolder(folder, region), 'accounts.conf'),
    accountsConfiguration(await leafAccounts(seeds, register, region)),
  )

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )
