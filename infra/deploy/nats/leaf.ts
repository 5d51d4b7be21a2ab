import { access, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import {
  leafAccountToken,
  operatorToken,
  systemAccountToken,
  type AccountToken,
  type MeshSeeds,
} from '@probe-mesh/bus/nats/accounts/accounts'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { LeafArguments } from './arguments.ts'
import { accountsConfiguration, leafConfiguration } from './configuration.ts'
import { enroll } from './enroll.ts'
import { keepKeyring, replaceFile, type KeptFile } from './keyring.ts'
import { leafName, readRegister, revocationsOf, type Register } from './register.ts'

/** As for an agent: the credentials of a leaf node can be revoked in the same way. */
const credentialDays = 365
const ownerFolder = 0o700

/** The folder with all files of a leaf node. */
const leafFolder = (folder: string, region: Region): string => join(folder, `leaf-${region}`)

export type GeneratedLeaf = { folder: string; configuration: string; files: KeptFile[] }

/**
 * Writes the configuration and accounts of a region's leaf node, and its credentials if they are missing.
 * @throws RangeError for an unknown region, or a leaf node enrolled with other files
 */
export const generateLeaf = async (wanted: LeafArguments, nowMs: number): Promise<GeneratedLeaf> => {
  const { outDir, region, listen, storeDir, tls, hub, hubAuthority } = wanted
  const register = await readRegister(outDir)
  if (!register.regions.includes(region)) {
    const known = register.regions.join(', ') || 'run nats-config --regions first'
    throw new RangeError(`${region} is not a region of ${outDir}: ${known}`)
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

/** The accounts of a leaf node: the servers' own and its region's. */
export const leafAccounts = async (
  seeds: MeshSeeds,
  { agents }: Register,
  region: Region,
): Promise<[AccountToken, AccountToken]> => [
  await systemAccountToken(seeds),
  await leafAccountToken(seeds, region, revocationsOf(agents, region)),
]

/** Whether the folder has files of the region's leaf node. */
export const hasLeaf = (folder: string, region: Region): Promise<boolean> =>
  exists(leafFolder(folder, region))

/** Updates the accounts of every leaf node from the register. */
export const refreshLeaves = async (folder: string, seeds: MeshSeeds, register: Register): Promise<void> => {
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
