import { randomUUID } from 'node:crypto'
import { link, mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createSeed, seedIn, type Holder } from '@probe-mesh/bus/nats/seeds'
import type { AccountSeeds, MeshSeeds } from '@probe-mesh/bus/nats/accounts/accounts'
import { Region } from '@probe-mesh/contracts/reading/regions'

const ownerOnly = 0o600
const ownerFolder = 0o700

export type KeptFile = { path: string; was: 'written' | 'kept' }

/** These files can issue credentials for every agent. They stay with the operator; no server needs them. */
export const keysFolder = (folder: string): string => join(folder, 'keys')

const accountFile = (region: Region): string => `region-${region}.nk`
const regionFile = /^region-(?<region>[a-z]+)\.nk$/

/**
 * Reads the secrets of a mesh, and creates missing ones. Secrets of former regions are read too, to close
 * their accounts.
 * @throws Error for a secret file with other content, which is never overwritten
 */
export const keepKeyring = async (
  folder: string,
  regions: readonly Region[],
): Promise<{ seeds: MeshSeeds; files: KeptFile[] }> => {
  const keys = keysFolder(folder)
  await mkdir(keys, { recursive: true, mode: ownerFolder })
  const files: KeptFile[] = []
  const keep = async (name: string, holder: Holder, whose: string): Promise<string> => {
    const { seed, ...file } = await keepSeed(join(keys, name), holder, whose)
    files.push(file)
    return seed
  }
  const all = new Set([...regions, ...(await regionsIn(keys))])
  const ofRegions = new Map<Region, AccountSeeds>()
  const operator = await keep('operator.nk', 'operator', 'the operator of the mesh')
  const system = await keep('system.nk', 'account', "the servers' own account")
  const mesh = {
    account: await keep('mesh.nk', 'account', 'the account of the control planes'),
    users: await keep('mesh-users.nk', 'account', 'the signer of control planes'),
  }
  for (const region of all) {
    ofRegions.set(region, {
      account: await keep(accountFile(region), 'account', `the account of ${region}`),
      users: await keep(`agents-${region}.nk`, 'account', `the signer of agents of ${region}`),
    })
  }
  return { seeds: { operator, system, mesh, regions: ofRegions }, files }
}

/** The secret of the servers' own account; null: the folder has none. Creates nothing. */
export const readSystemSeed = async (folder: string): Promise<string | null> => {
  try {
    return seedIn(await readFile(join(keysFolder(folder), 'system.nk'), 'utf8'), 'account')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

const regionsIn = async (keys: string): Promise<Region[]> =>
  (await readdir(keys)).flatMap((name) => {
    const region = regionFile.exec(name)?.groups?.['region']
    return region !== undefined && Region.safeParse(region).success ? [region] : []
  })

const keepSeed = async (
  path: string,
  holder: Holder,
  whose: string,
): Promise<KeptFile & { seed: string }> => {
  const seed = createSeed(holder)
  const text = `# The secret of ${whose} on NATS. It grants all their rights.\n${seed}\n`
  if (await createWhole(path, text)) return { path, was: 'written', seed }
  const kept = seedIn(await readFile(path, 'utf8'), holder)
  if (kept === null) throw new Error(`${path} exists and has no seed of ${whose}`)
  return { path, was: 'kept', seed: kept }
}

/** Creates a file atomically. @returns false for an existing file */
export const createWhole = async (path: string, text: string): Promise<boolean> => {
  const draft = `${path}.${randomUUID()}`
  try {
    await writeFile(draft, text, { mode: ownerOnly, flag: 'wx', flush: true })
    await link(draft, path)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  } finally {
    await rm(draft, { force: true })
  }
}

/** Replaces a file atomically. */
export const replaceFile = async (path: string, text: string): Promise<void> => {
  const draft = `${path}.${randomUUID()}`
  try {
    await writeFile(draft, text, { mode: ownerOnly, flag: 'wx', flush: true })
    await rename(draft, path)
  } finally {
    await rm(draft, { force: true })
  }
}
